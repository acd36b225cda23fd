"""The history: all sessions, oldest first. See README.md for the language."""
import lang
import s_kelpie, s_vitrine, s_lichen, s_krume  # noqa: F401  (each fills lang.SESSIONS)

PERSON_NAME = "Noor Ivo Halvorsen-Petit"   # made up
SESSIONS = sorted(lang.SESSIONS, key=lambda s: s["start"])

# what each repository holds before a session starts (ROOT/projects/<name>, one commit)
PROJECTS = {
    "kelpie-fw": {"branch": "main", "files": {
        "README.md": "# kelpie-fw\n\nFirmware of the trout farm buoys.\n",
        "CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)\nproject(kelpie)\n# TODO params.yaml -> header (never finished)\n",
        "src/sensor_limits.h": "#pragma once\n#define PH_MIN 0\n#define PH_MAX 1400\n#define DEPTH_MIN 0\n#define DEPTH_MAX 3000\n",
        "src/status.c": "void status_tick(void)\n{\n\tprintk(\"T=%d\\n\", temp_c());\n}\n",
        "src/winch.c": "#include \"winch.h\"\n\nvoid winch_poll(void)\n{\n}\n",
        "src/press.c": "uint16_t press_raw(void)\n{\n\tuint16_t v;\n\ti2c_read(dev, &v, 2, ADDR);\n\treturn v;\n}\n",
        "src/button.h": "#pragma once\n#define LONG_MS 800\n",
        "src/nmea.h": "#pragma once\nstruct fix {\n\tunsigned hms;\n\tdouble lat, lon;\n\tchar ns, ew;\n};\n",
        "src/modbus.c": "void modbus_init(void)\n{\n\tmb_open(UART2);\n}\n",
        "third_party/lfs/lfs.c": "static int lfs_file_flush(lfs_t *lfs, lfs_file_t *file)\n{\n\treturn lfs_file_flush_(lfs, file);\n}\n",
    }},
    "vitrine": {"branch": "main", "files": {
        "README.md": "# vitrine\n\nTickets and guided tours of the museum.\n",
        "CHANGES.md": "# Changes\n",
        "mix.exs": "defmodule Vitrine.MixProject do\n  use Mix.Project\nend\n",
        "lib/vitrine_web/tour.html.heex": "<h2>Next tours</h2>\n",
        "lib/vitrine_web/shop.html.heex": "<h1>Shop</h1>\n",
        "lib/vitrine_web/autumn.html.heex": "<h1>Automne</h1>\n<p>Nocturne, 7 pm</p>\n",
        "assets/tour.css": "h2 { color: #222; }\n.full { color: #888; }\n",
        ".claude/commands/tour-review.md": "Review the tour page named in $ARGUMENTS. Check the title, the meeting point, the fares and the links. Always list what you found as a table, then wait.\n",
    }},
    "lichen-atlas": {"branch": "trunk", "files": {
        "README.md": "# lichen-atlas\n\nCoverage of lichen genomes per site.\n",
        "Snakefile": "SAMPLES = [\"LA01\", \"LA07\"]\n\nrule count_contigs:\n    shell: \"samtools idxstats {input} > {output}\"\n\nrule all:\n    input: []\n",
        "config/cluster.yaml": "# kept by the cluster group\npartition: moss\nthreads: 4\nmem: 16G\n",
        "run_atlas.slurm": "#!/bin/bash\n#SBATCH --mem=16G\nsnakemake --profile moss\n",
    }},
    "krume": {"branch": "main", "files": {
        "README.md": "# krume\n\nThe bakery's app.\n",
        "pubspec.yaml": "name: krume\n",
        "lib/home.dart": "class Home extends StatelessWidget {\n  Widget build(c) => Column(children: [Banner()]);\n}\n",
        "lib/bread.dart": "BreadCard(\n  shape: BorderRadius.zero,\n  child: Text(bread.name),\n  onTap: () {},\n);\n",
        "lib/cart.dart": "class Cart {\n  int discount() => rules.discount();\n}\n",
        "lib/pickup.dart": "Column(\n  children: [],\n);\n",
        "lib/standing_orders.dart": "class StandingOrders extends StatelessWidget {\n  Widget build(c) => flag('standing_orders') ? OrderList() : SizedBox();\n}\n",
        "lib/l10n/app_de.arb": "{\n  \"@@locale\": \"de\"\n}\n",
        "lib/l10n/app_it.arb": "{\n  \"@@locale\": \"it\"\n}\n",
        ".claude/commands/release-notes.md": "Write the release notes for version $ARGUMENTS from the git log since the last tag. Keep it under 500 characters. Always end with a thank-you line.\n",
    }},
}
