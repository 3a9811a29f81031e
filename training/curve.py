"""The learning curve of a run as a picture."""

from pathlib import Path

from training import metrics


def draw_curve(run: Path, file: Path, title: str) -> None:
    """Win rate and mean score of the evaluation games over the learner's decisions, from the run's metrics."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = metrics.read(run)
    evaluations = [row for row in rows if "greedy_win_rate" in row]
    steps = [row["steps"] / 1e6 for row in evaluations]
    warm = max((row["steps"] / 1e6 for row in rows if row["phase"] == "imitation"), default=0.0)
    figure, (above, below) = pyplot.subplots(2, 1, sharex=True, figsize=(7, 5), layout="constrained")
    for axes, key, label in ((above, "greedy_win_rate", "win rate"), (below, "greedy_score", "mean score")):
        axes.plot(steps, [row[key] for row in evaluations], color="C0", marker=".", label="likeliest action")
        played = [row for row in rows if row["phase"] == "ppo" and key.removeprefix("greedy_") in row]
        axes.plot(
            [row["steps"] / 1e6 for row in played],
            [row[key.removeprefix("greedy_")] for row in played],
            color="C1",
            alpha=0.5,
            linewidth=1,
            label="while training (random)",
        )
        if warm:
            axes.axvspan(0, warm, color="0.92", label="imitation")
        axes.set_ylabel(label)
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
    above.legend(loc="lower right", fontsize="small")
    above.set_title(title)
    below.set_xlabel("decisions of the learner, millions")
    figure.savefig(file, dpi=120)
    pyplot.close(figure)
