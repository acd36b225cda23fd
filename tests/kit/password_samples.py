"""Passwords as people write of them in many languages and hand them to programs; `§` is the password's place."""

import random
import string

_SIGNS = "!#$%*+-=?@^_~&"

# What a person says or writes down of a password.
PROSE: dict[str, tuple[str, ...]] = {
    "English": (
        "the password for the db is §",
        "use password § for the staging login",
        "login with admin / § and look at the page",
        "pw: §",
        "pass is §, please keep it",
        "The admin's password is: §.",
        "log in as root with the password § then restart",
        "credentials: deploy / §",
        "I changed the passphrase to § yesterday",
        "§ is the password of the test account",
        "user admin, password §",
        "(password: §)",
        "set the root password to §",
        "My passcode was §",
        "- **Password:** `§`",
        "| password | § |",
    ),
    "German": (
        "Passwort: §",
        "das Passwort ist §",
        "mein Passwort lautet §",
        "Das Kennwort für den Server lautet: §",
        "nimm das Passwort § für die Datenbank",
        "melde dich mit admin / § an",
        "Zugangsdaten: admin / §",
        "Benutzer: admin, Passwort: §",
        "setz das Passwort auf §",
        "§ ist das Passwort für die Datenbank",
        "das DB-Passwort heißt §",
    ),
    "French": (
        "Mot de passe : §",
        "le mot de passe est §",
        "le mot de passe de la base de données est §",
        "utilise le mot de passe § pour te connecter",
        "mdp : §",
        "connecte-toi avec admin / §",
        "identifiants : admin / §",
        "mets le mot de passe à §",
        "Le mot de passe pour l'admin, c'est §",
    ),
    "Spanish": (
        "Contraseña: §",
        "la contraseña es §",
        "la contraseña de la base de datos es §",
        "la clave del servidor es §",
        "clave: §",
        "usa la contraseña § para entrar",
        "entra con admin / §",
        "usuario: admin, contraseña: §",
        "contrasena: §",
        "cambia la contraseña a §",
    ),
    "Portuguese": (
        "Senha: §",
        "a senha é §",
        "a senha do banco de dados é §",
        "usa a senha § para entrar",
        "a palavra-passe é §",
        "faz login com admin / §",
        "usuário: admin, senha: §",
        "minha senha era §",
    ),
    "Italian": (
        "Password: §",
        "la password è §",
        "la password del database è §",
        "usa la password § per entrare",
        "accedi con admin / §",
        "la parola d'ordine è §",
        "credenziali: admin / §",
        "ho cambiato la password in §",
    ),
    "Dutch": (
        "Wachtwoord: §",
        "het wachtwoord is §",
        "het wachtwoord voor de database is §",
        "gebruik wachtwoord § om in te loggen",
        "log in met admin / §",
        "mijn wachtwoord was §",
        "zet het wachtwoord op §",
    ),
    "Polish": (
        "Hasło: §",
        "hasło to §",
        "hasło do bazy danych to §",
        "użyj hasła § do logowania",
        "zaloguj się jako admin z hasłem §",
        "haslo: §",
        "dane logowania: admin / §",
    ),
    "Russian": (
        "Пароль: §",
        "пароль §",
        "пароль от базы данных — §",
        "мой пароль был §",
        "используй пароль § для входа",
        "зайди с паролем §",
        "логин admin, пароль §",
        "поменяй пароль на §",
        "§ — это пароль от базы",
    ),
    "Ukrainian": (
        "Пароль: §",
        "пароль до бази даних — §",
        "мій пароль це §",
        "увійди з паролем §",
        "логін: admin, пароль: §",
    ),
    "Chinese": (
        "密码：§",
        "密码是§",
        "数据库的密码是 §",
        "密碼為§，請保密",
        "口令: §",
        "用密码 § 登录",
        "账号 admin，密码 §",
        "把密码改成§吧",
        "用户名：admin 密码：§",
    ),
    "Japanese": (
        "パスワード：§",
        "パスワードは§です",
        "データベースのパスワードは「§」です",
        "パスワード § でログインして",
        "暗証番号は§です。",
        "パスワードを§に変えました",
        "admin / § でログイン",
    ),
    "Korean": (
        "비밀번호: §",
        "비밀번호는 § 입니다",
        "비밀번호는 §이에요",
        "데이터베이스 비밀번호는 §입니다.",
        "암호: §",
        "비밀번호 §로 로그인해",
        "아이디 admin 비밀번호 §",
    ),
    "Turkish": (
        "Şifre: §",
        "şifre § olarak ayarlandı",
        "veritabanı şifresi §",
        "parola: §",
        "şifrem §",
        "admin / § ile giriş yap",
        "şifreyi § yap",
    ),
    "Arabic": (
        "كلمة المرور: §",
        "كلمة المرور هي §",
        "كلمة السر لقاعدة البيانات هي §",
        "استخدم كلمة المرور § للدخول",
        "الباسورد: §",
    ),
    "Hindi": (
        "पासवर्ड: §",
        "पासवर्ड § है",
        "डेटाबेस का पासवर्ड § है",
        "लॉगिन के लिए पासवर्ड § इस्तेमाल करो",
    ),
    "Czech": ("Heslo: §", "heslo je §", "heslo k databázi je §", "přihlas se s heslem §"),
    "Swedish": ("Lösenord: §", "lösenordet är §", "lösenordet till databasen är §", "logga in med admin / §"),
    "Danish and Norwegian": ("Adgangskode: §", "adgangskoden er §", "Passord: §", "passordet er §"),
    "Hungarian": ("Jelszó: §", "a jelszó §", "az adatbázis jelszava §", "jelszo: §"),
    "Romanian": ("Parola: §", "parola este §", "parola pentru baza de date este §"),
    "Croatian and Serbian": ("Lozinka: §", "lozinka je §", "лозинка: §", "lozinka za bazu je §"),
    "Greek": ("Κωδικός: §", "ο κωδικός είναι §", "ο κωδικός πρόσβασης της βάσης είναι §"),
    "Hebrew": ("סיסמה: §", "הסיסמה היא §", "הסיסמה למסד הנתונים היא §"),
    "Vietnamese": ("Mật khẩu: §", "mật khẩu là §", "mật khẩu của cơ sở dữ liệu là §", "mat khau: §"),
    "Thai": ("รหัสผ่าน: §", "รหัสผ่านคือ §", "รหัสผ่านฐานข้อมูลคือ §"),
    "Indonesian": ("Kata sandi: §", "kata sandinya adalah §", "kata sandi untuk basis data adalah §"),
}

# Labels of a password, each with `: §`, `= "§"` and as a key of JSON.
LABELS = (
    *("password", "passwd", "passphrase", "pwd", "pw", "passcode", "Passwort", "Kennwort", "mot de passe", "mdp"),
    *("contraseña", "contrasena", "clave", "senha", "palavra-passe", "wachtwoord", "hasło", "haslo", "пароль"),
    *(
        "密码",
        "密碼",
        "口令",
        "パスワード",
        "비밀번호",
        "패스워드",
        "şifre",
        "parola",
        "كلمة المرور",
        "पासवर्ड",
    ),
    *("lozinka", "лозинка", "heslo", "lösenord", "adgangskode", "passord", "jelszó"),
    *("κωδικός", "סיסמה", "mật khẩu", "รหัสผ่าน", "kata sandi", "parool", "geslo", "slaptažodis"),
)

# How programs are handed a password.
COMMANDS = (
    *("mysql -u root -p§ shop", "mysqldump -uroot -p'§' shop > x.sql", 'mariadb -h db -u app -p"§"'),
    *("sshpass -p § ssh root@db", "sshpass -p '§' scp a b:", "sshpass -p§ ssh db", "SSHPASS=§ sshpass -e ssh db"),
    *("PGPASSWORD=§ psql -h db", "export PGPASSWORD='§'", "MYSQL_PWD=§ mysql shop", "REDISCLI_AUTH=§ redis-cli"),
    *(
        "docker login -u me -p § registry.example.com",
        "podman login -p § -u me x",
        "helm registry login x -u me -p §",
    ),
    *("oc login -u dev -p § https://x", "az login -u me@example.com -p §", "skopeo copy --src-creds me:§ a b"),
    *("redis-cli -h cache -a § ping", "redis-cli -a '§'", "redis-cli --pass §"),
    *(
        "openssl rsa -in k.pem -passin pass:§",
        "openssl pkcs12 -passout 'pass:§' -in x",
        "openssl enc -aes-256-cbc -k § -in x",
    ),
    *("htpasswd -b .htpasswd me §", "htpasswd -bc /etc/nginx/.htpasswd admin '§'", "htpasswd -nb me §"),
    *("curl -u me:§ https://x.example", "curl --user 'me:§' https://x.example", "curl -sume:§ https://x.example"),
    *(
        "http -a me:§ GET https://x.example",
        "wget --user=me --password=§ https://x",
        "wget --http-password § https://x",
    ),
    *("mongosh -u root -p § --host db", "mongodump --username root --password § -d shop", "cqlsh -u c -p § db"),
    *("sqlcmd -S db -U sa -P § -Q 'select 1'", "bcp t out f -U sa -P§", "sqlplus scott/§@orcl"),
    *("7z x -p§ a.7z", "unzip -P § a.zip", "zip -r -P '§' a.zip b", "unrar x -p§ a.rar"),
    *("ldapsearch -x -D cn=admin -w § -b dc=x", "smbclient //h/s -U 'me%§'", "net use z: \\\\h\\s /user:me §"),
    *("echo '§' | sudo -S apt update", "echo § | docker login -u me --password-stdin", "sudo -S ls <<< '§'"),
    *("echo 'root:§' | chpasswd", "echo -e '§\\n§' | passwd root", "printf '%s' '§' | gh auth login --with-token"),
    *(
        "keytool -list -storepass § -keystore k",
        "gpg --batch --passphrase § -d x",
        "ssh-keygen -t ed25519 -N '§' -f k",
    ),
    *(
        "plink -pw § me@h",
        "xfreerdp /u:me /p:§ /v:h",
        "mosquitto_pub -u me -P § -t x",
        "twine upload -u me -p § dist/*",
    ),
    *(
        "mysql --password=§ shop",
        "psql 'host=db user=me password=§'",
        "tool --db-password § --port 80",
        "app --pass § run",
    ),
    *("mount -t cifs //h/s /m -o username=me,password=§", "ansible-playbook -e ansible_password=§ x.yml"),
    *("cypher-shell -u neo4j -p §", "rabbitmqctl add_user me §", "ipmitool -H h -U me -P § power on"),
    *("mvn -Ddb.password=§ package", "gradle -PstorePassword=§ build", "nmcli dev wifi connect Home password §"),
)

# Command lines that look like these, and hand over no password.
HARMLESS_COMMANDS = (
    *(
        "mkdir -p src/app2/x",
        "ssh -p 2222 root@db",
        "docker run -p 8080:80 nginx:1.25",
        "scp -P 2222 a h:",
        "cp -p a1 b2",
    ),
    *("mysql -u root -p shop", "mysql -P 3306 -h db1 -p", "mysql -uroot -p < dump2.sql", "psql -p 5432 -U me1 db2"),
    *(
        "redis-cli -p 6380 -n 2",
        "redis-cli -h 10.0.0.1 -p 6379 get a1",
        "nmap -p 1-1024 h",
        "nmap -p80,443 h",
        "rsync -aP a1 b2",
    ),
    *(
        "tar -xpf a1.tar",
        "patch -p1 < x.diff",
        "git apply -p2 x1.patch",
        "git log -p HEAD~3",
        "git stash show -p stash@{1}",
    ),
    *("pytest -p no:xdist -k test_2", "python -m http.server -p 8080", "flask run -p 5001", "npm run dev -- -p 3001"),
    *("docker compose -p proj2 up", "docker login -u me1 --password-stdin", "docker login registry.example.com:5000"),
    *(
        "ps -p 1234 -o pid=",
        "read -p 'Password (8+): ' pw",
        "read -s -p 'Passwort: ' x1",
        "kill -9 123",
        "lsof -p 4321 -a -i4",
    ),
    *(
        "curl -u $USER:$PASS https://h1",
        'curl -u "$U1:$P2" h',
        "sshpass -e ssh db1",
        "sshpass -p $PASS ssh db",
        'sshpass -p "$DB_PASS1" ssh h',
    ),
    *(
        "openssl passwd -6",
        "openssl rsa -passin env:KEY_PASS1",
        "openssl rsa -passin file:pw1.txt",
        "openssl rsa -in k2.pem -passin stdin",
    ),
    *(
        "htpasswd -c .htpasswd user1",
        "7z a -mx9 a1.7z b2",
        "unzip -p a1.zip b2.txt",
        "zip -r9 a.zip src2",
        "cp -a a1 b2",
    ),
    *(
        "sqlcmd -S db1,1433 -U sa -P $SA_PW1",
        "gh auth login --with-token < t1.txt",
        "echo $PASS | sudo -S ls",
        "sudo -u user1 ls",
    ),
    *(
        "mysql -p$DB_PASS1 shop",
        'mysql -p"${DB_PASSWORD}" db1',
        "mysqldump -p%PASS1% x",
        "mongosh --port 27017 -u me1 -p",
        "sed -n '1,5p' x2",
    ),
    *(
        "echo 'v1.2.3' | tee x",
        "ls -la /etc/passwd2",
        "grep -p x1",
        "jq -r .a1",
        "kubectl -n ns1 get po -w",
        "ldapsearch -x -H ldap://h1 -W",
    ),
    *(
        "make -j4 -p",
        "ab -n 100 -c 10 http://h1/",
        "kubectl port-forward -p pod1 8080:80",
        "useradd -m -s /bin/bash user2",
        "passwd -l user1",
    ),
)


def a_password(chance: random.Random) -> str:
    """Letters with a digit or a sign, as a person or a generator makes one up."""
    kind = chance.randrange(5)
    if kind == 0:
        word = chance.choice(("Sommer", "Winter", "Berlin", "dragon", "Monkey", "welcome", "Geheim", "letmein"))
        return f"{word}{chance.randrange(10, 2030)}{chance.choice('!#*?$')}"
    signs = _SIGNS if kind > 1 else ""
    letters = string.ascii_letters + string.digits + signs
    while True:
        inner = "".join(chance.choices(letters, k=chance.randrange(8, 17)))
        text = f"{chance.choice(string.ascii_letters)}{inner}{chance.choice(string.ascii_letters + string.digits)}"
        if sum(char.isdigit() for char in text) >= 1:
            return text


def spoken(chance: random.Random) -> list[tuple[str, str, str]]:
    """A language, a text and the password in it, one for each phrase."""
    found = [(language, phrase, a_password(chance)) for language, phrases in PROSE.items() for phrase in phrases]
    return [(language, phrase.replace("§", password), password) for language, phrase, password in found]
