"""A model that the cluster's tasks call is called here while there is no cluster."""

from skillopt_sleep.pools.ray import WorkerModel
from skillopt_sleep.records import Usage
from tests.fakes import NOON
from tests.pools.portable import Echo, question


def test_it_has_the_models_name_version_and_price() -> None:
    model = WorkerModel(Echo(), Echo)
    assert (model.name, model.version, model.ready(NOON), model.price("echo", Usage())) == ("echo", "", True, 0.0)


def test_without_a_cluster_the_model_of_this_process_answers() -> None:
    model = Echo()
    assert WorkerModel(model, Echo).complete(question("here")).text.startswith("here")
    assert model.asked == ["here"]
