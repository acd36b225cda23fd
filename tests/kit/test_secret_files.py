"""Files are told to hold secrets by their names."""

import pytest

from skillopt_sleep.kit.redact import is_secret_file


@pytest.mark.parametrize(
    "path", [".env", "a/.ENV.local", "deploy/server.PEM", "credentials/aws", ".env/x", "id_rsa.old", "secrets.yaml"]
)
def test_secrets_are_known_by_their_names_in_any_folder(path: str) -> None:
    assert is_secret_file(path, lambda: False)


@pytest.mark.parametrize(
    "path",
    """
    .git-credentials .pgpass .htpasswd terraform.tfvars prod.auto.tfvars.json infra/terraform.tfstate id_ecdsa id_dsa
    kubeconfig prod.kubeconfig home/.kube/config .docker/config.json .dockercfg service-account.json
    gcp/service_account_prod.json server.jks app.keystore login.ppk .my.cnf .aws/credentials .aws/config .ssh/known_hosts
    .gnupg/secring.gpg .vault-token .s3cfg .boto .netrc _netrc secrets.yml secrets.env master.key
    """.split(),  # noqa: SIM905
)
def test_files_that_programs_keep_secrets_in_are_known(path: str) -> None:
    assert is_secret_file(path, lambda: False)


@pytest.mark.parametrize(
    "path",
    [
        "docker/config.json",
        "config.json",
        ".docker/Dockerfile",
        "src/kube/config.ts",
        "service-account.md",
        "variables.tf",
        "jks.md",
        "aws/config",
    ],
)
def test_their_neighbours_are_not(path: str) -> None:
    assert not is_secret_file(path, lambda: pytest.fail("it was looked into"))


@pytest.mark.parametrize("path", ["env", "keys.py", "src/environment.ts", "a.env.py", "pem", "mysecrets.txt"])
def test_other_files_are_not_even_looked_into(path: str) -> None:
    assert not is_secret_file(path, lambda: pytest.fail("it was looked into"))


@pytest.mark.parametrize("path", ["auth/credentials.py", "credentials/provider.go", "Secrets.java"])
def test_source_code_is_hidden_only_if_it_holds_a_secret(path: str) -> None:
    assert not is_secret_file(path, lambda: False)
    assert is_secret_file(path, lambda: True)
