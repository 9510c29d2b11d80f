import type { RequestHandler } from 'express';
import { showConfig } from '../../config/shown-config.js';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { testConnection, type TestedConnection } from '../../api/providers/test-connection.js';
import { isoOf } from '../../api/page-request.js';
import { refuseUnknown } from '../../api/query.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';

/** `GET /api/v1/configuration`: the configuration in force, without secrets. */
export function readConfiguration(parts: GatewayParts): RequestHandler {
  return answer((req, res) => {
    refuseUnknown(req, []);
    const { config, loadedAt, refused } = parts.configuration();
    const { settings, yaml, hideSecrets } = showConfig(config);
    const { grounding, providers } = parts.current();
    sendJson(res, 200, {
      object: 'configuration',
      file: config.file,
      loadedAt: isoOf(loadedAt),
      refused: refused && { at: isoOf(refused.at), reason: hideSecrets(refused.reason) },
      settings,
      yaml,
      connections: {
        mail: config.mail !== null,
        redis: config.redis.url !== null,
        providers: [...providers.keys()],
        engines: grounding.search?.engineNames ?? [],
        toolkits: grounding.toolkits.names,
      },
    });
  });
}

/** `POST /api/v1/configuration/tests`: tries one connection of the configuration. */
export function runConnectionTest(parts: GatewayParts): RequestHandler {
  return answer(async (req, res) => {
    const tested = req.body as TestedConnection;
    const { detail, ...result } = await testConnection(parts, tested);
    const { hideSecrets } = showConfig(parts.configuration().config);
    sendJson(res, 200, { object: 'connection_test', ...result, detail: hideSecrets(detail) });
  });
}
