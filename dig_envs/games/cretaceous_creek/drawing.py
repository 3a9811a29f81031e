def draw(snapshot):
    return str(snapshot)
