"""The HTTP API: operations by subject, and the OpenAPI document made from them."""
