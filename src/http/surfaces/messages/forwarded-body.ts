import type { ForwardedRequest } from '../../../pipeline/completion-call.js';
import { openReasoning } from '../foreign-reasoning.js';
import { extraBody } from '../foreign-words.js';
import { gatewayFields } from '../openai.js';
import type { SentAlong } from '../surface.js';
import { foreignEfforts } from './chat-request.js';
import {
  blocksOf,
  type MessagesBlock,
  type MessagesRequest,
  type MessagesTurn,
} from './request.js';

/** Fields of a request that no provider gets. */
export const notForwarded: ReadonlySet<string> = new Set([
  ...gatewayFields,
  ...foreignEfforts,
  ...extraBody,
]);

/** How the ids of searches begin that the gateway has written into an answer. */
export const ownSearchId = 'srvtoolu_sbx1_';

/** Stands where Anthropic has the encrypted text of a page. */
export const ownSearchMark = 'sbx1.';

/** Whether an earlier answer has the block from another maker, or from the gateway's own search. */
function isForeign({ type, signature, data, id, tool_use_id: useId }: MessagesBlock): boolean {
  if (type === 'thinking') return openReasoning(signature) !== null;
  if (type === 'redacted_thinking') return openReasoning(data) !== null;
  if (type === 'server_tool_use') return id?.startsWith(ownSearchId) ?? false;
  return type === 'web_search_tool_result' && (useId?.startsWith(ownSearchId) ?? false);
}

const hasOwnCitation = ({ citations }: MessagesBlock): boolean =>
  Array.isArray(citations) &&
  citations.some(
    (one: { encrypted_index?: unknown } | null) => one?.encrypted_index === ownSearchMark,
  );

/**
 * A body as a provider of Messages gets it: without what only the gateway can read, which Anthropic
 * would refuse. The same object where there is none of that.
 */
function forwardableBody<Body extends Pick<MessagesRequest, 'messages'>>(body: Body): Body {
  const isChanged = ({ role, content }: MessagesTurn): boolean =>
    role === 'assistant' && blocksOf(content).some((one) => isForeign(one) || hasOwnCitation(one));
  if (!body.messages.some(isChanged)) return body;
  const messages = body.messages.flatMap((turn): MessagesTurn[] => {
    if (!isChanged(turn)) return [turn];
    const content = blocksOf(turn.content)
      .filter((block) => !isForeign(block))
      .map((block) => {
        if (!hasOwnCitation(block)) return block;
        const { citations: _citations, ...rest } = block;
        return rest;
      });
    return content.length > 0 ? [{ ...turn, content }] : [];
  });
  return { ...body, messages };
}

/** What a provider of Messages gets of a request. @param needs see `ForwardedRequest` */
export const originalOf = (
  body: MessagesRequest,
  { headers, query }: SentAlong,
  needs: string | null = null,
) =>
  ({
    dialect: 'messages',
    body: forwardableBody(body),
    headers,
    query: query['beta'] === 'true' ? '?beta=true' : '',
    needs,
  }) as const satisfies ForwardedRequest;
