"""Random choice or Q-learning on a model of FATE, as a loop of the kind that FATE has; prints the steps per second.

python3 loop.py MODEL.json STRINGS.txt LAST_LINE random|qlearning RUNS

A guard and an assignment are evaluated as texts, an observation is made anew at each step, and finds a row in the table of
Q-learning. With numpy, observations, actions, rewards and rows are arrays, as in FATE; without it they are lists, which takes
less time.
"""

import json
import random
import sys
import time

try:
    import numpy
except ImportError:
    numpy = None

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
        self.visited = {0}
        return self.observation()

    def widgets(self):
        return len(self.nodes[self.node]["transitions"])

    def observation(self):
        observed = [0] * self.length
        observed[self.node] = 1
        start = self.starts[self.node]
        for place in range(start, start + self.widgets()):
            observed[place] = 1
        return numpy.array(observed) if numpy else observed

    def step(self, action):
        """Returns the observation, the reward, and whether the step counts for the episode."""
        widget, text = action
        transitions = self.nodes[self.node]["transitions"]
        if widget == len(transitions):
            return self.observation(), reward_of(-30), False
        transition = transitions[widget]
        self.variables["input_text"] = text
        guard = transition["guard"]
        before = self.node
        if guard is None or eval(guard, self.globals, self.variables):
            if transition["set"] is not None:
                exec(transition["set"], self.globals, self.variables)
            self.node = self.places[transition["destination"]]
        if self.node not in self.visited:
            self.visited.add(self.node)
            reward = 1000
        elif self.node == before and len(self.visited) == 1:
            reward = -1
        else:
            reward = 0
        return self.observation(), reward_of(reward), True


def reward_of(number):
    return numpy.array([number]) if numpy else number


class Lists:
    """Chance and the table of Q-learning, in lists."""

    def __init__(self, texts):
        self.texts, self.chance, self.rows = texts, random.Random(1), {}

    def forget(self):
        self.rows = {}

    def explores(self):
        return self.chance.random() < EXPLORATION

    def draw(self, widgets):
        return self.chance.randint(0, widgets), self.chance.randrange(self.texts)

    def row(self, observation, widgets):
        key = tuple(observation)
        if key not in self.rows:
            self.rows[key] = [0.0] * ((widgets + 1) * self.texts)
        return self.rows[key]

    def best(self, row):
        return divmod(row.index(max(row)), self.texts)

    def largest(self, row):
        return max(row)

    def learn(self, row, action, reward, ahead):
        place = action[0] * self.texts + action[1]
        row[place] += RATE * (reward + DISCOUNT * ahead - row[place])


class Arrays:
    """The same in arrays."""

    def __init__(self, texts):
        self.texts, self.chance, self.rows = texts, numpy.random.RandomState(1), {}
        self.low = numpy.array([0, 0])

    def forget(self):
        self.rows = {}

    def explores(self):
        return self.chance.uniform(0, 1) < EXPLORATION

    def draw(self, widgets):
        high = numpy.array([widgets + 1, self.texts])
        return numpy.floor(self.chance.uniform(self.low, high)).astype(int)

    def row(self, observation, widgets):
        key = observation.tobytes()
        if key not in self.rows:
            self.rows[key] = numpy.zeros([widgets + 1, self.texts])
        return self.rows[key]

    def best(self, row):
        return numpy.array(numpy.unravel_index(numpy.argmax(row), row.shape))

    def largest(self, row):
        return row[tuple(self.best(row))]

    def learn(self, row, action, reward, ahead):
        widget, text = action
        row[widget][text] += (RATE * (reward + DISCOUNT * ahead - row[widget][text]))[0]


def run(model, texts, learns, numbers):
    app, seen, curve = App(model), {0}, []
    numbers.forget()
    while len(curve) < ACTIONS:
        observation, done = app.reset(), 0
        while done < EPISODE and len(curve) < ACTIONS:
            widgets = app.widgets()
            row = numbers.row(observation, widgets) if learns else None
            explores = not learns or numbers.explores()
            action = numbers.draw(widgets) if explores else numbers.best(row)
            observation, reward, counts = app.step((action[0], texts[action[1]]))
            if learns:
                ahead = numbers.largest(numbers.row(observation, app.widgets()))
                numbers.learn(row, action, reward, ahead)
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
    numbers = Arrays(len(texts)) if numpy else Lists(len(texts))
    begun = time.perf_counter()
    steps = sum(len(run(model, texts, agent == "qlearning", numbers)) for _ in range(int(runs)))
    print(steps / (time.perf_counter() - begun), "with numpy" if numpy else "without numpy")


if __name__ == "__main__":
    main()
