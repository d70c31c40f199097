"""Runs a program in a separate terminal and answers it: `terminal.py ANSWERS PROGRAM ARGUMENT...`.

ANSWERS is a list of pairs in JSON: what the program's output must end with, and the line that is then typed. Prints the
program's output; ends with its exit code.
"""

import json
import os
import pty
import sys


def main(answers, program):
    child, terminal = pty.fork()
    if child == 0:
        os.execv(program[0], program)
    output = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # Linux says so when the program has ended.
            piece = b""
        if not piece:
            break
        output += piece
        if answers and output.endswith(answers[0][0].encode()):
            os.write(terminal, answers.pop(0)[1].encode() + b"\n")
        elif not answers and output.endswith(b": "):
            os.write(terminal, b"\x04")  # The end of input, for a question that was not foreseen.
    sys.stdout.write(output.decode().replace("\r\n", "\n"))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


sys.exit(main(json.loads(sys.argv[1]), sys.argv[2:]))
