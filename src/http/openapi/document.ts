import type { RequestHandler } from 'express';
import { completionPaths, modelPaths, responsePaths } from './completions.js';
import { componentSchemas } from '../../api/openapi/components.js';
import { endpoints } from '../../api/endpoints.js';
import { endpointPaths } from '../../api/openapi/operations.js';
import { mcpPath, proxyPath, publicPages } from './pages.js';
import { selectionPaths, v2Paths } from './selection.js';
import { sendJson } from '../send-json.js';
import { tags } from '../../api/openapi/tags.js';

const securitySchemes = {
  key: { type: 'http', scheme: 'bearer', description: 'An API key, `sk_…`.' },
  keyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The same API key, where a client cannot send `Authorization`.',
  },
  signIn: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-signalbox',
    description: 'A signed-in browser.',
  },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: '`csrfToken` of the sign-in, which a browser sends with each change.',
  },
};

/**
 * The OpenAPI 3.1 document, built from the schema files that validate requests.
 * @param server the URL under which the routes stand: a path such as `/ai`, or a whole URL
 */
export function openApiDocument(version: string, server: string): object {
  const paths = {
    ...completionPaths(),
    ...responsePaths(),
    ...selectionPaths(),
    ...modelPaths(),
    ...endpointPaths(endpoints),
    ...proxyPath(),
    ...mcpPath(),
    ...v2Paths(),
    ...publicPages(),
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Signalbox',
      version,
      description: 'Model selection and completions over many language-model providers.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: server }],
    security: [{ key: [] }, { keyHeader: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: { securitySchemes, schemas: componentSchemas(paths) },
  };
}

/** `GET /openapi.json`. */
export function openApi(version: string, publicUrl: () => string | null): RequestHandler {
  // one entry is enough: a router is nearly always mounted at one path
  let last: { server: string; body: Buffer } | null = null;
  return (req, res) => {
    // the path is where a host has mounted this router
    const server = publicUrl() ?? (req.baseUrl === '' ? '/' : req.baseUrl);
    if (last?.server !== server)
      last = { server, body: Buffer.from(JSON.stringify(openApiDocument(version, server))) };
    sendJson(res, 200, last.body);
  };
}
