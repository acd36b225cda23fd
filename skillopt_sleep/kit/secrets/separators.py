"""Match what separates a name from its value: `=` and the like, and forms of YAML, XML, tables and calls."""

import re

SEPARATOR = re.compile(
    r"""(?:\\{0,3}["'`]\]?)?[ \t\xa0]{0,8}(?:
      :[ \t]{0,4}(?:&(?:'\w{1,16}[ ])?)?[A-Za-z_][\w.\[\]|,\ ]{0,40}=[ \t]{0,4}(?=[rbfu]?["'`])  # name: type = "…"
    | (?::|[ \t]=)[ \t]{0,4}\r?\n\s{0,40}(?=[\w+/.=~%:-]{16,1024}[ \t]*(?:[\r\n]|\Z))  # alone in the next line
    | [ ]{0,2}=[ \t]{0,4}\(\s{0,40}(?=[rbfu]?["'])                        # name = ( "…" "…" )
    | [ ]\[[^\]\n]{0,40}\]:[ ]                                           # name [what it is now]: value
    | </\w{1,16}>\s{0,40}<\w{1,16}>                                      # <key>name</key> <string>value
    | [ \t]{0,40}\|[ \t]{1,40}(?=[^|\n]{4,1200}\|)                       # | name | value |
    | (?:string|str)?[ \t]{0,4}(?:=>|:{1,3}=|\?{1,2}=|[|]{2}=|[.+]=|={1,3}|[:：＝]) # = and its kin, YAML blocks
      (?:[ \t]*[|>][+-]?[ \t]*\n)?[ \t\xa0]{0,8}
    | is:?[ ]                                                            # name is value
    | >\s{0,40}                                                         # <name>value
    | (?<=["'`])(?:
        ,?\s{0,16}\\{0,3}["']?value\\{0,3}["']?[ \t]{0,4}[:=][ \t]{0,4}  # "name": "<name>", "value": "…"
      | ,[ \t]{0,4}(?=\\{0,3}["'`]|[rbf]["'])                           # set("name", "value")
      | [ \t]{1,4}\{[^{}]{0,200}?default[ \t]{0,16}=[ \t]{0,4}(?=")      # variable "name" { default = "value" }
      ))""",
    re.VERBOSE,
)
