import { GatewayError } from '../errors.js';

/** OpenAI's values, and other servers' words for them: lower case, with `_` for `-`. */
const spellings: Readonly<Record<string, string>> = {
  stop: 'end_turn stop_sequence stop_token eos eos_token eot end done complete completed finished normal pause_turn',
  // Mistral, Z.ai, Anthropic, Cohere
  length:
    'max_tokens max_new_tokens max_output_tokens max_length token_limit model_length length_limit model_context_window_exceeded context_length_exceeded error_limit',
  tool_calls: 'tool_use tool_call function_call function_calls',
  // Z.ai: `sensitive`; Bedrock, Gemini, Anthropic and Cohere, also behind gateways
  content_filter:
    'sensitive safety refusal content_filtered guardrail_intervened recitation blocklist prohibited_content spii model_armor image_safety image_prohibited_content image_recitation error_toxic',
};
const known = new Map(
  Object.entries(spellings).flatMap(([own, others]) =>
    [own, ...others.split(' ')].map((spelling) => [spelling, own] as const),
  ),
);

/**
 * A provider says that it broke off: `error` (OpenRouter), `network_error` (Z.ai), `engine_error`,
 * `insufficient_system_resource` (DeepSeek), `abort` (vLLM, SGLang).
 */
const brokeOff =
  /(^|_)(error|fail(ed|ure)?|abort(ed)?|cancell?ed|time(d_)?out|overload(ed)?|interrupted|exhausted)$|^(insufficient|malformed|unexpected_tool|too_many_tool)_/;

/**
 * Finish reasons that messages and the log may quote; they call the others `other`. Google's OpenAI API
 * puts what stopped an answer before its own word: `function_call_filter: MALFORMED_FUNCTION_CALL`.
 */
const printable = /^[\w-]{1,40}(: [\w-]{1,40})?$/;

/** A finish reason in OpenAI's words. */
export interface FinishReason {
  readonly reason: string | null;
  /** The provider's own word where it is unknown and counts as `stop`; not a word for none. */
  readonly unknown: string | undefined;
}

/**
 * Reads the finish reason of a choice, in the words of any dialect.
 * @param hasCalls whether the choice has calls of tools: an answer that ends with some has ended for
 *   them, and one without has not, whatever the provider says
 * @throws GatewayError `upstream_error` where the provider says that it broke off
 */
export function readFinishReason(
  provider: string,
  value: unknown,
  hasCalls: boolean,
): FinishReason {
  if (value === undefined || value === null || value === '' || value === false)
    return { reason: null, unknown: undefined };
  const written = typeof value === 'string' && printable.test(value) ? value : 'other';
  const word = written.toLowerCase().replaceAll('-', '_');
  if (word === 'null' || word === 'none') return { reason: null, unknown: word };
  const parts = word.split(': ');
  const own = known.get(word) ?? known.get(parts[0]!);
  if (own === undefined && parts.some((part) => brokeOff.test(part)))
    throw new GatewayError(
      'upstream_error',
      `${provider} broke off its answer with the finish reason ${written}`,
      { recovery: 'once', upstreamStatus: 500 },
    );
  const reason = own ?? 'stop';
  const isUsual = reason === 'stop' || reason === 'tool_calls';
  const byCalls = hasCalls ? 'tool_calls' : 'stop';
  return {
    reason: isUsual ? byCalls : reason,
    unknown: own === undefined ? written : undefined,
  };
}
