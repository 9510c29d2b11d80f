import type { ChatRequest } from '../../completion.js';
import { asList } from '../../text/is-object.js';
import type { ProviderAdapter, ProviderDialect, ProviderSettings } from '../adapter.js';
import { namesOf } from '../called-model.js';
import { openaiModels } from '../model-parameters.js';

/** Where a provider of OpenAI's chat API serves more by the Responses API. */
export interface OtherApiRules {
  /** Matches names of models that the provider serves by another API alone; `auto` calls none. */
  elsewhere?: RegExp;
  /**
   * The Responses API beside that of chat: for those, for tools that the chat API refuses, and for
   * clients that speak it.
   */
  otherApi?: ProviderDialect['create'];
}

/** Addresses that are known to take all that clients of the Responses API send. */
const openaiServers =
  /^https:\/\/([\w-]+\.)*(openai\.com|(openai|services\.ai|cognitiveservices)\.azure\.com)(\/|$)/;
/** Names of OpenAI's models that have the chat API alone (2026-11). */
const chatAlone = /search-(preview|api)|audio/;

/** @param settings with the address */
export function otherApiOf(
  settings: ProviderSettings,
  { otherApi, elsewhere }: OtherApiRules,
): Pick<ProviderAdapter, 'instead' | 'elsewhere'> {
  if (!otherApi) return { elsewhere };
  const other = otherApi(settings);
  const isKnown = openaiServers.test(settings.baseUrl ?? '');
  return {
    elsewhere,
    instead(request, model, dialect) {
      const names = namesOf(settings, model);
      const matches = (pattern?: RegExp): boolean => names.some((name) => pattern?.test(name));
      const isShared = isKnown && dialect === other.dialect && !matches(chatAlone);
      return isShared || matches(elsewhere) || toolsNeedResponses(request, names) ? other : null;
    },
  };
}

/** Whether OpenAI's chat API refuses the tools of a request because its model reasons. */
const toolsNeedResponses = (request: ChatRequest, names: readonly string[]): boolean =>
  asList(request.tools).length > 0 &&
  openaiModels.some(
    ({ models, toolsNeedNone, restsUnasked }) =>
      toolsNeedNone &&
      (request.reasoning_effort ?? (restsUnasked ? 'none' : null)) !== 'none' &&
      names.some((name) => models.test(name)),
  );
