"""Random choice or Q-learning on a model of FATE, as a loop of the kind that FATE has; prints the steps per second.

python3 loop.py MODEL.json STRINGS.txt LAST_LINE random|qlearning RUNS

A guard and an assignment are evaluated as texts, an observation is a list made anew at each step, and a row of the table
of Q-learning is found by it.
"""

import json
import random
import sys
import time

ACTIONS = 4000
EPISODE = 300
EXPLORATION, DISCOUNT, RATE = 0.8, 0.9, 0.628


class App:
    def __init__(self, model):
        self.nodes = model["nodes"]
        self.places = {node["node_id"]: place for place, node in enumerate(self.nodes)}
        self.starts, self.length = [], len(self.nodes)
        for node in self.nodes:
            self.starts.append(self.length)
            self.length += len(node["transitions"])
        self.globals = {}
        self.variables = {one["name"]: one["value"] for one in model["global_vars"]}
        self.node = 0

    def reset(self):
        self.node = 0
        self.visited, self.last = {0}, 0
        return self.observation()

    def observation(self):
        observed = [0] * self.length
        observed[self.node] = 1
        start = self.starts[self.node]
        for place in range(start, start + len(self.nodes[self.node]["transitions"])):
            observed[place] = 1
        return observed

    def step(self, widget, text):
        """Returns the observation, the reward, and whether the step counts for the episode."""
        transitions = self.nodes[self.node]["transitions"]
        if widget == len(transitions):
            return self.observation(), -30, False
        transition = transitions[widget]
        self.variables["input_text"] = text
        guard = transition["guard"]
        if guard is None or eval(guard, self.globals, self.variables):
            if transition["set"] is not None:
                exec(transition["set"], self.globals, self.variables)
            self.node = self.places[transition["destination"]]
        if self.node not in self.visited:
            self.visited.add(self.node)
            reward = 1000
        elif self.node == self.last and len(self.visited) == 1:
            reward = -1
        else:
            reward = 0
        return self.observation(), reward, True


def run(model, texts, learns, chance):
    app, table, seen, curve = App(model), {}, {0}, []

    def row(observation):
        widgets = len(app.nodes[app.node]["transitions"])
        key = tuple(observation)
        if key not in table:
            table[key] = [0.0] * ((widgets + 1) * len(texts))
        return table[key]

    while len(curve) < ACTIONS:
        observation, done = app.reset(), 0
        while done < EPISODE and len(curve) < ACTIONS:
            widgets = len(app.nodes[app.node]["transitions"])
            values = row(observation) if learns else None
            if not learns or chance.random() < EXPLORATION:
                place = chance.randint(0, widgets) * len(texts) + chance.randrange(len(texts))
            else:
                place = values.index(max(values))
            observation, reward, counts = app.step(place // len(texts), texts[place % len(texts)])
            if learns:
                values[place] += RATE * (reward + DISCOUNT * max(row(observation)) - values[place])
            done += counts
            seen.add(app.node)
            curve.append(len(seen))
    return curve


def main():
    path, strings, last, agent, runs = sys.argv[1:]
    with open(path) as file:
        model = json.load(file)
    with open(strings) as file:
        texts = file.read().splitlines()[: int(last) + 1]
    chance = random.Random(1)
    begun = time.perf_counter()
    steps = sum(len(run(model, texts, agent == "qlearning", chance)) for _ in range(int(runs)))
    print(steps / (time.perf_counter() - begun))


main()
