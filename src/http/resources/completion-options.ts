import type { RequestHandler } from 'express';
import type { GatewayParts } from '../../pipeline/engine/gateway-parts.js';
import { matchesGlob } from '../../models/access-rules.js';
import { contextOf } from '../context.js';
import { sendJson } from '../send-json.js';
import { answer } from '../stage.js';

/**
 * `GET /api/v1/completion-options`: what the caller's completions may ask for here beside a model,
 * and the limits that a client has to know before it asks.
 */
export function showCompletionOptions(parts: GatewayParts): RequestHandler {
  return answer((_req, res) => {
    const { snapshot, caller } = contextOf(parts, res).request;
    const { grounding, limits, conversations } = snapshot;
    const { maxUses, maxResults, maxToolSteps, research } = grounding.limits;
    const engines = [...grounding.enginePrices].map(([name, usd]) => ({
      name,
      pricePerThousandUsd: usd === null ? null : usd * 1_000,
    }));
    sendJson(res, 200, {
      object: 'completion_options',
      maxBodyBytes: limits.maxBodyBytes,
      maxToolSteps,
      storesConversations: conversations.store,
      search: { engines, maxUses, maxResults },
      research: grounding.search === null ? null : research,
      toolkits: grounding.toolkits.names.filter((name) =>
        caller.toolkits.some((glob) => matchesGlob(glob, name)),
      ),
    });
  });
}
