"""Links by which other machines reach a seat, and their QR codes."""

import io

from dig_envs.server.guard import LOOPBACK, USUAL_PORTS, host_name


def link_of(token: str, origin: str, hosts: tuple[str, ...]) -> str:
    """The link of a seat, for other machines as far as that is possible.

    Args:
        token: the secret of the seat.
        origin: of the page that asks, which may name this machine only.
        hosts: the names of the server; the first one that other machines know takes its place.
    """
    scheme, _, authority = origin.partition("://")
    host = host_name(authority)
    known = next((name for name in hosts if name not in LOOPBACK), host)
    if host in LOOPBACK:
        port = authority[len(host) :].removesuffix(USUAL_PORTS.get(scheme, ""))
        authority = f"{known}{port}"
    return f"{scheme}://{authority}/#{token}"


def qr_code(text: str) -> str:
    """The QR code of a text as SVG; empty where the package ``segno`` is not installed."""
    try:
        import segno
    except ModuleNotFoundError:
        return ""
    picture = io.BytesIO()
    segno.make_qr(text).save(
        picture, kind="svg", xmldecl=False, omitsize=True, dark="#000", light="#fff"
    )
    return picture.getvalue().decode()
