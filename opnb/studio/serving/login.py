"""Login by OpenID Connect: on where the server's owner has set it up in `.streamlit/secrets.toml`, and then for all."""

from __future__ import annotations

import json
from collections.abc import Mapping

from streamlit.auth_util import get_cookie_with_chunks
from streamlit.runtime.secrets import secrets_singleton
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME


def is_wanted() -> bool:
    """Tell whether visitors have to log in."""
    return bool(secrets_singleton.load_if_toml_exists() and "auth" in secrets_singleton)


def is_logged_in(cookies: Mapping[str, str]) -> bool:
    """Tell whether a request comes from somebody who has logged in: the cookie is signed by this server."""

    def read(name: str) -> bytes | None:
        return decode_signed_value(get_cookie_secret(), name, cookies.get(name, "").encode("latin-1", "ignore"))

    signed = get_cookie_with_chunks(read, USER_COOKIE_NAME)
    try:
        known = json.loads(signed) if signed else {}
    except ValueError:
        return False
    return isinstance(known, dict) and known.get("is_logged_in") is True
