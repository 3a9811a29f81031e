"""The mine as a graph and as an image, against the mine itself."""

import numpy as np

from dig_envs.games.diggity import mine_forms
from tests.rules.diggity.positions import deal, graph_of, mines
from tests.rules.diggity.reference import open_passages

SIDES = "NESW"
STATE = {"connected": 5, "open": 6, "blocked": 7}


def observed():
    """Some mines, with what seat 0 sees of them, in one array."""
    positions = mines()[::4]
    return [position.mine for position in positions], np.stack([position.observation(0) for position in positions])


def test_the_graph():
    all_mines, observations = observed()
    graph = mine_forms.as_graph(observations)
    assert graph.nodes.shape[1:] == (64, 24)
    assert graph.passages.shape[1:] == (48, 34)
    for k, mine in enumerate(all_mines):
        edges = {(int(i), int(j)) for i, j in np.argwhere(graph.connected[k]) if i < j}
        assert edges == {tuple(sorted(edge)) for edge in graph_of(mine).edges}
        assert (graph.connected[k] == graph.connected[k].T).all()
        assert [(e, i) for e, (i, _) in enumerate(open_passages(mine))] == [
            tuple(map(int, pair)) for pair in np.argwhere(graph.of_card[k])
        ]


def test_the_image():
    """Cards are 5 by 7 cells that do not meet; passages lie on their edges."""
    all_mines, observations = observed()
    images = mine_forms.as_image(observations, window=160)
    for mine, image in zip(all_mines, images, strict=True):
        assert image[0].sum() == image[1:5].sum() == 35 * len(mine)
        passages = sum(len(card.exits()) for card in mine)
        assert image[5:8].sum() == passages
        assert image[6].sum() == len(open_passages(mine))
        assert ((image[8] + image[9] > 0) == (image[6] > 0)).all()
        assert image[10:].max() <= 1
        for symbol in range(4):
            assert image[1 + symbol].sum() == 35 * sum(card.symbol == "CTSL"[symbol] for card in mine)


def test_a_window_cuts_off():
    _, observations = observed()
    wide, narrow = mine_forms.as_image(observations, window=160), mine_forms.as_image(observations, window=32)
    assert (wide[:, :, 64:96, 64:96] == narrow).all()


def test_without_a_mine_and_for_one_vector():
    graph, image = mine_forms.as_graph(deal(0).observation(0)), mine_forms.as_image(deal(0).observation(0))
    assert graph.nodes.shape == (64, 24)
    assert image.shape == (30, 64, 64)
    assert not graph.connected.any()
    assert not graph.of_card.any()
    assert not image.any()
