"""The API described as an OpenAPI 3.1 document, from the schemas that requests are checked with."""

from qmemd.http.openapi.document import openapi_document

__all__ = ["openapi_document"]
