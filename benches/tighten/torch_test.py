"""What `temper bounds --tighten` finds in 120 seconds in a test that trains a network with torch and asks for `accuracy > 0.6`.

    python benches/tighten/torch_test.py [BUDGET]

Run by a Python that has torch, pytest and Temper. Asked: a bound of 0.89 or more, named as a candidate or verified, and mutants
judged that are no part of an `__init__`. Printed too: how often each kind of mutant raises, and how often it changes the value.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

from bench import TEMPER

CODE = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, inputs=8, hidden=16, classes=2):
        super().__init__()
        self.first = nn.Linear(inputs, hidden)
        self.norm = nn.BatchNorm1d(hidden)
        self.drop = nn.Dropout(0.1)
        self.second = nn.Linear(hidden, classes)

    def forward(self, x):
        hidden = self.drop(torch.relu(self.norm(self.first(x))))
        return self.second(hidden)


def clusters(n, inputs=8, classes=2, distance=1.2):
    y = torch.randint(0, classes, (n,))
    x = torch.randn(n, inputs) + distance * y[:, None] * torch.ones(inputs) / inputs**0.5 * 2.5
    return x, y


def train(net, x, y, epochs=10, lr=0.05, batch=32, momentum=0.9):
    optimiser = torch.optim.SGD(net.parameters(), lr=lr, momentum=momentum)
    loss_of = nn.CrossEntropyLoss()
    net.train()
    for _ in range(epochs):
        order = torch.randperm(len(x))
        for start in range(0, len(x), batch):
            rows = order[start : start + batch]
            optimiser.zero_grad()
            loss = loss_of(net(x[rows]), y[rows])
            loss.backward()
            optimiser.step()
    return net


def accuracy(net, x, y):
    net.eval()
    with torch.no_grad():
        guess = net(x).argmax(dim=1)
    return (guess == y).float().mean().item()
"""
TEST = """from net import Net, accuracy, clusters, train


def test_learns():
    x, y = clusters(800)
    net = train(Net(), x[:400], y[:400])
    assert accuracy(net, x[400:], y[400:]) > 0.6
"""


def kinds(document):
    """By kind: pairs that were judged, those that raise, those that change the value."""
    counts = collections.defaultdict(collections.Counter)
    for mutant in document["bounds"]["mutants"]["mutants"]:
        for trial in mutant["trials"]:
            count = counts[mutant["operator"]]
            count["judged"] += 1
            count["raise"] += trial["class"] in ("raised", "unviable")
            count["change"] += bool(trial["values"]) and trial["class"] != "change nothing measurable"
    return counts


def print_kinds(document):
    for kind, count in sorted(kinds(document).items()):
        rates = (count[name] / count["judged"] for name in ("raise", "change"))
        print(f"| {kind} | {count['judged']} |", *(f"{rate:.0%} |".replace("%", " %") for rate in rates))


def main():
    budget = (sys.argv[1:] or ["120s"])[0]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
        (folder / "net.py").write_text(CODE)
        (folder / "test_net.py").write_text(TEST)
        arguments = [TEMPER, "bounds", "--tighten", "--budget", budget, "--format", "json", "-q"]
        command = [*map(str, arguments), "--python", sys.executable]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 1, 4):
        sys.exit(done.stderr or done.stdout)
    document = json.loads(done.stdout)
    found = document["bounds"]["mutants"]
    for site in found["sites"]:
        verified, possible = (site[kind] and site[kind]["bound"] for kind in ("tightest", "possible"))
        print(
            f"{site['test']}: {site['judged']} of {site['reached']} mutants judged, tightest bound {verified}, "
            f"possible {possible}"
        )
    tried = [mutant for mutant in found["mutants"] if mutant["trials"]]
    places = collections.Counter(mutant["function"] for mutant in tried)
    print("by function ", ", ".join(f"{place} {count}" for place, count in places.most_common()))
    print(f"runs         {found['runs_taken']} of mutants, {found['cpu_secs']:.0f} s of processor time")
    for subject in document["subjects"]:
        print(f"verdict      {subject['name']}: {subject['verdict']}, exit code {done.returncode}")
    print_kinds(document)


if __name__ == "__main__":
    main()
