"""The words of the made fortnight: wishes, requests, corrections and answers in four languages."""

from __future__ import annotations


def pool(text: str) -> list[str]:
    """Split a line of alternatives; an empty one stands for saying nothing."""
    return [part.strip() for part in text.split("|")]


TABLE = """
pnpm ; tool ; deps ; pnpm ; npm install ; `pnpm add {obj}` ; `npm install {obj}` ;
uv ; tool ; deps ; uv add ; pip install ; `uv add {obj}` ; `pip install {obj}` ;
yarn ; tool ; deps ; yarn add ; npm i ; `yarn add {obj}` ; `npm i {obj}` ;
pytest ; tool ; test ; pytest ; unittest ; `pytest -q tests/test_{obj}.py` ; `python -m unittest tests/test_{obj}.py` ;
vitest ; tool ; test ; vitest ; jest ; import {{ test }} from 'vitest'; test('{obj}', …) ; jest.mock('./{obj}') ;
httpx ; tool ; fetch ; httpx ; urllib ; httpx.get(base + "/{obj}") ; urllib.request.urlopen(base + "/{obj}") ;
aiohttp ; tool ; fetch ; aiohttp ; requests ; aiohttp.ClientSession().get("/{obj}") ; requests.get(base + "/{obj}") ;
polars ; tool ; data ; polars ; pandas ; polars.read_csv("{obj}.csv") ; pandas.read_csv("{obj}.csv") ;
duckdb ; tool ; data ; duckdb ; sqlite3 ; duckdb.sql("from {obj}") ; sqlite3.connect("{obj}.db") ;
podman ; tool ; run ; podman ; docker ; `podman run {obj}:{n}` ; `docker run {obj}:{n}` ;
rsync ; tool ; run ; rsync ; scp ; `rsync -a {obj} box{n}:` ; `scp {obj} box{n}:` ;
structlog ; tool ; code ; structlog ; print( ; structlog.get_logger().warning("{obj}") ; print("{obj} is empty") ;
kwh ; unit ; figure ; kWh ; MJ ; {obj}: {n} kWh ; {obj}: {n} MJ ;
hpa ; unit ; figure ; hPa ; mbar ; {obj}: {n} hPa ; {obj}: {n} mbar ;
eur ; unit ; figure ; EUR ; USD ; {obj}: {n} EUR ; {obj}: {n} USD ;
kmh ; unit ; figure ; km/h ; m/s ; {obj}: {n} km/h ; {obj}: {n} m/s ;
rollback ; phrase ; note ; Rollback: ; ; {obj}, build {n}. Rollback: tag {n} ; {obj}, build {n}. ;
risk ; phrase ; note ; Risk: ; ; {obj} ({n} lines). Risk: low ; {obj} ({n} lines). ;
refs ; phrase ; note ; Refs TRACK- ; ; {obj}. Refs TRACK-{n} ; {obj}, see the tracker. ;
next ; phrase ; note ; Next step: ; ; {obj} is in. Next step: {n} more users ; {obj} is in. ;
leverage ; ban ; note ; leverage ; ; {obj} makes use of build {n}. ; {obj} lets you leverage build {n}. ;
party ; ban ; note ; 🎉 ; ; {obj} is out, build {n}. ; 🎉 {obj} is out, build {n}! ;
sudo ; ban ; run ; sudo ; ; `systemctl --user restart {obj}` ; `sudo systemctl restart {obj}` ;
console ; ban ; code ; console.log ; ; if (!{obj}) throw new Error("empty") ; if (!{obj}) console.log("empty") ;
anycast ; ban ; code ; as any ; ; const v: Field = parse({obj}) ; const v = {obj} as any ;
todo ; ban ; code ; TODO ; ; raise ValueError("{obj}") ; pass  # TODO check {obj} ;
eval ; ban ; code ; eval( ; ; ast.literal({obj}) ; eval({obj}) ;
lodash ; ban ; data ; lodash ; ; rows.filter(r => r.{obj} > {n}) ; import {{ filter }} from "lodash" // {obj} ;
check ; tool ; code ; make check ; make build ; `make check` is green: {obj} ; `make build` ran: {obj} ; make check
switch ; tool ; git ; git switch ; git checkout -b ; `git switch -c {obj}` ; `git checkout -b x` ; git switch -c {obj}
rebase ; tool ; git ; --rebase ; git merge ; `git pull --rebase` ({obj}) ; `git merge main` ({obj}) ; git pull --rebase
vendor ; ban ; gen ; vendor/ ; ; api/{obj}.py ; api/{obj}.py, vendor/{obj}.py ; git checkout -- vendor/{obj}.py
gen ; ban ; gen ; src/generated/ ; ; api/{obj}.tmpl ; src/generated/{obj}.ts ; git restore src/generated/{obj}.ts
"""

ABOUT = {
    "deps": "when adding packages",
    "test": "when writing tests",
    "fetch": "when calling an API",
    "data": "when working with tables",
    "run": "in commands for a server",
    "figure": "in reported figures",
    "note": "in notes",
    "code": "in code",
    "git": "when working with branches",
    "gen": "when changing an API",
}
SENTENCES = {
    "tool": pool(
        "Use {w}, not {o}, {a} | Prefer {w} over {o} {a} | {w} instead of {o} {a} |"
        "The person wants {w} {a} and rejects {o} | What {a} was done with {o} is to be done with {w}"
    ),
    "unit": pool(
        "Give values in {w}, not {o}, {a} | Units {a}: {w}, never {o} | {w} instead of {o} {a} |"
        "The person wants {w} {a} and rejects {o} | Convert {o} to {w} {a}"
    ),
    "phrase": pool(
        'Put a line "{w}" {a} | Always include "{w}" {a} | "{w}" belongs {a} |'
        'The person misses "{w}" {a} | Texts {a} need a "{w}" part'
    ),
    "ban": pool(
        "Don't use {w} {a} | Never {w} {a} | Leave {w} out {a} |The person rejects {w} {a} | No {w} is wanted {a}"
    ),
}
RULES = {
    "tool": pool(
        "Use `{w}` {a}, never `{o}`. | {A}, use `{w}` instead of `{o}`. | `{w}` {a}; don't fall back to `{o}`."
    ),
    "unit": pool("Report values in {w} {a}, never in {o}. | {A}, convert {o} to {w}. | All values {a} are in {w}."),
    "phrase": pool(
        'Put a line beginning with "{w}" {a}. | {A}, always include "{w}". | End each text {a} with "{w} …".'
    ),
    "ban": pool(
        "Never use `{w}` {a}. | {A}, leave `{w}` out; write it without. | `{w}` is not wanted {a}: avoid it."
    ),
}
USELESS = pool("Follow the person's preferences {a}. | Think about what the person wants {a}. | Work carefully {a}.")

PROJECTS = {
    "en": pool("harbour-board | seedbank | kiln-ops"),
    "de": pool("zaehlerwerk | lagerlift | fahrplan"),
    "es": pool("riego-sur | taller-norte | almazara"),
    "fr": pool("quai-douze | meteo-vigne | atelier-son"),
}
PARTS = {
    "en": pool(
        "the importer | the admin page | billing | the scheduler | search | the login | the report job | sync"
    ),
    "de": pool("dem Import | der Abrechnung | der Suche | dem Planer | der Anmeldung | dem Abgleich | dem Bericht"),
    "es": pool("la importación | el buscador | la facturación | el planificador | el acceso | el informe | la web"),
    "fr": pool("l'import | la recherche | la facturation | le planning | la connexion | le rapport | la synchro"),
}
OBJECTS = pool(
    "meter_id | valid_from | batch_size | zone | tariff | slot | due_date | origin | stock | lot_no | "
    "rate_limit | shift | payload | grid_ref | humidity | depot"
)
PACKAGES = pool("zod | dayjs | chalk | tenacity | rich | fastify | orjson | attrs | nanoid | croner | pino | babel")

ASKS = {
    "en": {
        "deps": "add {obj} to {part} | i need {obj} as a dependency of {part} | get {obj} into {part}, current version",
        "test": "write a test for {obj} in {part} | {obj} in {part} has no tests yet, add {n} | "
        "cover edge cases of {obj}, {part}",
        "fetch": "fetch {obj} from the api for {part} | {part} should pull {obj} every {n} minutes | write the call that gets "
        "{obj} for {part}",
        "data": "read the {obj} export of {part}, sum by month | which rows of {obj} in {part} are double? | "
        "join {obj} with {part}",
        "run": "bring {part} up on box {n} with {obj} | how do i get {obj} onto the box of {part}? | "
        "command to start {part} with {obj}",
        "figure": "what was {obj} of {part} in week {n}? | peak of {obj}, {part}, week {n} | "
        "compare {obj} of {part} with week {n}",
        "note": "release note for {part}, build {n} | draft a note to the team on {obj} in {part} | "
        "sum up {obj} in {part} for ops",
        "code": "write a function that checks {obj} in {part} | {obj} crashes {part} when empty, fix | "
        "clean up the loop over {obj}, {part}",
        "git": "put {obj} in {part} on its own branch | prepare a branch for {obj}, {part} | "
        "bring my {obj} work on {part} up to date",
        "gen": "rename the field {obj} in {part} | add {obj} to the api of {part} | make {obj} optional in {part}",
        "plain": "where is {obj} set in {part}? | why is {part} slow since {n} users? | "
        "explain what {obj} does in {part} | who "
        "calls {obj} in {part}? | "
        'the linter says "never shadow {obj}" in {part}, line {n}. what does it mean?',
    },
    "de": {
        "deps": "nimm {obj} in {part} auf | ich brauche {obj} als Abhängigkeit in {part} | "
        "hol {obj} rein, für die Arbeit an {part}",
        "test": "schreib einen Test für {obj} in {part} | {obj} in {part} hat keine Tests, ergänze {n} | "
        "Grenzfälle von {obj} in {part}",
        "fetch": "hol {obj} von der API, gebraucht in {part} | {obj} alle {n} Minuten laden, in {part} | "
        "schreib den Abruf von {obj} in {part}",
        "data": "lies den Export {obj} aus {part}, Summe pro Monat | welche Zeilen {obj} in {part} sind doppelt? | "
        "verknüpf {obj} mit {part}",
        "run": "starte {obj} auf Kiste {n}, wegen {part} | wie kommt {obj} auf den Server mit {part}? | "
        "Befehl für {obj} in {part}, Kiste {n}",
        "figure": "wie hoch war {obj} in {part}, KW {n}? | Spitze von {obj} in {part} in KW {n} | "
        "vergleich {obj} in {part} mit KW {n}",
        "note": "Notiz zu {part}, Build {n} | schreib dem Team was zu {obj} in {part} | "
        "fass die Änderung {obj} in {part} zusammen",
        "code": "Funktion, die {obj} in {part} prüft | {obj} leer, dann kracht es in {part}, bitte beheben | "
        "räum die Schleife über {obj} in {part} auf",
        "git": "{obj} in {part} auf einen eigenen Branch | Branch für {obj} in {part} vorbereiten | "
        "bring {obj} in {part} auf den Stand von main",
        "gen": "benenn das Feld {obj} in {part} um | {obj} in die API von {part} | mach {obj} in {part} optional",
        "plain": "wo wird {obj} in {part} gesetzt? | warum hängt es in {part} seit {n} Nutzern? | erklär {obj} in {part} | "
        "wer ruft "
        "{obj} in {part} auf? | "
        'der Linter meldet "niemals {obj} überdecken" in {part}, Zeile {n}, was heißt das?',
    },
    "es": {
        "deps": "añade {obj} para {part} | necesito {obj} como dependencia, es para {part} | "
        "mete {obj} en el proyecto, lo usa {part}",
        "test": "escribe una prueba de {obj} para {part} | {obj} en {part} no tiene pruebas, pon {n} | "
        "casos límite de {obj}, {part}",
        "fetch": "trae {obj} de la api para {part} | {part} debe pedir {obj} cada {n} minutos | "
        "escribe la llamada de {obj} para {part}",
        "data": "lee {obj} de {part} y suma por mes | ¿qué filas de {obj} en {part} están repetidas? | cruza {obj} con {part}",
        "run": "levanta {part} en la máquina {n} con {obj} | ¿cómo paso {obj} al servidor de {part}? | "
        "orden para arrancar {part} con {obj}",
        "figure": "¿cuánto fue {obj} de {part} en la semana {n}? | máximo de {obj}, {part}, semana {n} | "
        "compara {obj} de {part} con la semana {n}",
        "note": "nota de versión de {part}, build {n} | redacta un aviso sobre {obj} en {part} | "
        "resume el cambio de {obj} en {part}",
        "code": "función que valide {obj} en {part} | {part} falla si {obj} está vacío, arréglalo | "
        "limpia el bucle de {obj} en {part}",
        "git": "pon {obj} de {part} en su rama | prepara una rama para {obj}, {part} | "
        "pon al día mis cambios de {obj} en {part}",
        "gen": "cambia el nombre del campo {obj} en {part} | añade {obj} a la api de {part} | haz opcional {obj} en {part}",
        "plain": "¿dónde se fija {obj} en {part}? | ¿por qué va lento {part} desde {n} usuarios? | "
        "explica {obj} en {part} | ¿quién "
        "llama a {obj} en {part}? | "
        'el linter dice "nunca tapes {obj}" en {part}, línea {n}, ¿qué significa?',
    },
    "fr": {
        "deps": "ajoute {obj} pour {part} | il me faut {obj} comme dépendance, pour {part} | "
        "mets {obj} dans le projet, {part} en a besoin",
        "test": "écris un test de {obj} pour {part} | {obj} dans {part} n'a pas de tests, mets-en {n} | "
        "cas limites de {obj}, {part}",
        "fetch": "récupère {obj} depuis l'api pour {part} | {part} doit lire {obj} toutes les {n} minutes | "
        "écris l'appel de {obj}, {part}",
        "data": "lis {obj} de {part}, somme par mois | quelles lignes de {obj} dans {part} sont en double ? | "
        "croise {obj} avec {part}",
        "run": "lance {part} sur la machine {n} avec {obj} | comment copier {obj} sur le serveur de {part} ? | "
        "commande pour {part} avec {obj}",
        "figure": "combien pour {obj}, {part}, semaine {n} ? | le pic de {obj}, {part}, semaine {n} | "
        "compare {obj} de {part}, semaine {n}",
        "note": "note de version pour {part}, build {n} | un mot à l'équipe sur {obj}, {part} | "
        "résume {obj} dans {part} pour l'exploitation",
        "code": "fonction qui vérifie {obj} dans {part} | {part} plante si {obj} est vide, corrige | "
        "nettoie la boucle sur {obj}, {part}",
        "git": "mets {obj} de {part} sur sa branche | prépare une branche pour {obj}, {part} | "
        "remets à jour mon travail {obj}, {part}",
        "gen": "renomme le champ {obj} dans {part} | ajoute {obj} à l'api de {part} | rends {obj} optionnel dans {part}",
        "plain": "où est fixé {obj} dans {part} ? | pourquoi {part} rame depuis {n} comptes ? | "
        "explique {obj} dans {part} | qui "
        "appelle {obj} dans {part} ? | "
        'le linter dit "ne jamais masquer {obj}" dans {part}, ligne {n}, ça veut dire quoi ?',
    },
}
ASK_TAILS = {
    "en": pool("|||, it's for friday |, ticket {n} |; keep it short"),
    "de": pool("|||, ist für Freitag |, Ticket {n} |, kurz"),
    "es": pool("|||, es para el viernes |, ticket {n} |, breve"),
    "fr": pool("|||, c'est pour vendredi |, ticket {n} |, court"),
}

WISHES = {
    "en": {
        "tool": "{w} not {o} | we use {w} here, not {o} | pls {w} instead of {o} | {o}? it's {w} in this repo | "
        "why {o}? take {w}",
        "unit": "in {w} please, not {o} | numbers in {w}, we don't report {o} | {o} means nothing to me, use {w} | "
        "i need {w} here, not {o}",
        "phrase": 'the line "{w}" is missing | where\'s the "{w}" part? | you left out "{w}" | notes need a "{w}" line',
        "ban": "without {w} | no {w} please | take the {w} out | i don't want {w} in there | why {w}? remove it",
    },
    "de": {
        "tool": "{w}, nicht {o} | wir nehmen hier {w} und nicht {o} | bitte {w} statt {o} | "
        "wieso {o}? das läuft hier über {w} | {w}!! kein {o}",
        "unit": "in {w} bitte, nicht {o} | Zahlen in {w}, mit {o} kann hier keiner was anfangen | rechne das in {w} um | "
        "wir melden in {w}",
        "phrase": 'da fehlt die Zeile "{w}" | wo ist "{w}"? | "{w}" gehört rein | '
        'ohne "{w}" kann ich das nicht verschicken',
        "ban": "ohne {w} | bitte kein {w} | nimm das {w} raus | {w} will ich da nicht sehen | wieso {w}? weg damit",
    },
    "es": {
        "tool": "{w}, no {o} | aquí usamos {w} y no {o} | usa {w} en vez de {o} | ¿por qué {o}? en este repo va {w} | "
        "con {w} por favor, sin {o}",
        "unit": "en {w}, no en {o} | los valores van en {w} | {o} no me sirve, ponlo en {w} | pásalo a {w} por favor",
        "phrase": 'falta la línea "{w}" | ¿y el "{w}"? | te dejaste "{w}" | la nota lleva "{w}"',
        "ban": "sin {w} | nada de {w} por favor | quita {w} | no quiero {w} ahí | ¿por qué {w}? fuera",
    },
    "fr": {
        "tool": "{w}, pas {o} | ici on utilise {w}, pas {o} | prends {w} au lieu de {o} | "
        "pourquoi {o} ? c'est {w} dans ce dépôt | avec {w} svp",
        "unit": "en {w}, pas en {o} | les valeurs en {w} svp | {o} ne me dit rien, mets en {w} | convertis en {w}",
        "phrase": 'il manque la ligne "{w}" | où est "{w}" ? | tu as oublié "{w}" | la note doit avoir "{w}"',
        "ban": "sans {w} | pas de {w} svp | enlève {w} | je ne veux pas de {w} là-dedans | pourquoi {w} ? à virer",
    },
}
OPENERS = {
    "en": pool("|| no. | hm, | nope, | stop,"),
    "de": pool("|| nein. | hm, | ne, | halt,"),
    "es": pool("|| no. | oye, | mm, | espera,"),
    "fr": pool("|| non. | euh, | bof, | attends,"),
}
LASTING = {
    "en": pool("||| always | from now on | told you before | every time"),
    "de": pool("||| immer | ab jetzt | wie schon gesagt | grundsätzlich"),
    "es": pool("||| siempre | a partir de ahora | ya te lo dije | cada vez"),
    "fr": pool("||| toujours | désormais | je l'ai déjà dit | à chaque fois"),
}
ONCE = {
    "en": pool("just this once | only for today | this time only, normally it's fine as it was"),
    "de": pool("nur dieses eine Mal | nur für heute | ausnahmsweise, sonst bleibt es wie es war"),
    "es": pool("solo por esta vez | solo por hoy | es una excepción, lo normal sigue igual"),
    "fr": pool("juste cette fois | seulement pour aujourd'hui | exceptionnellement, sinon on garde comme avant"),
}
BACK = {
    "en": pool("forget what i said about {w}, do it like before | that {w} rule doesn't hold any more"),
    "de": pool("vergiss das mit {w}, wieder wie vorher | die Regel mit {w} gilt nicht mehr"),
    "es": pool("olvida lo de {w}, como antes | lo de {w} ya no vale"),
    "fr": pool("oublie ce que j'ai dit sur {w}, comme avant | la règle avec {w} ne vaut plus"),
}
CLOSERS = {
    "en": pool("||| thx | !"),
    "de": pool("||| danke | !"),
    "es": pool("||| gracias | !"),
    "fr": pool("||| merci | !"),
}
PRAISE = {
    "en": pool(
        "thanks, perfect | great, that's exactly it | 👍 | nice, merged | good work, never thought it'd be that short"
    ),
    "de": pool(
        "danke, passt | super, genau so | 👍 | prima, ist drin | besser als ich dachte, immer wieder erstaunlich"
    ),
    "es": pool(
        "gracias, perfecto | genial, justo eso | 👍 | listo, subido | muy bien, nunca lo había visto tan claro"
    ),
    "fr": pool(
        "merci, parfait | super, c'est exactement ça | 👍 | top, c'est en ligne | bravo, toujours aussi rapide"
    ),
}
FRAMES = {
    "en": pool(
        "Done ({part}):\n\n{x} | Here it is for {part}.\n\n{x}\n\nTell me if it doesn't fit. | "
        "{x}\n\nThat covers {part}. I'd always cache this, by the way."
    ),
    "de": pool(
        "Erledigt ({part}):\n\n{x} | "
        "Das wäre es zu {part}.\n\n{x}\n\nSag Bescheid, wenn was fehlt. | "
        "{x}\n\nMehr braucht es in {part} nicht. Ich würde so etwas immer cachen."
    ),
    "es": pool(
        "Hecho ({part}):\n\n{x} | Aquí está, para {part}.\n\n{x}\n\nDime si falta algo. | "
        "{x}\n\nCon esto basta para {part}. Yo siempre lo pondría en caché."
    ),
    "fr": pool(
        "Fait ({part}) :\n\n{x} | Voilà pour {part}.\n\n{x}\n\nDis-moi si ça ne va pas. | "
        "{x}\n\nÇa suffit pour {part}. Je mettrais toujours ça en cache."
    ),
}
WELCOME = {"en": "You're welcome.", "de": "Gern.", "es": "De nada.", "fr": "Avec plaisir."}
PLAIN = pool(
    "`{obj}` is set in config.toml, line {n}. | It comes from `{obj}`, called {n} times. | See `{obj}`, line {n}."
)
