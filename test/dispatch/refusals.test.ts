import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningGateway } from '../helpers/gateway.js';
import { type Plays, startScripted } from '../helpers/plays.js';
import type { Step } from '../helpers/steps.js';
import { ask, ways } from '../helpers/ways.js';

let gateway: RunningGateway;
let plays: Plays;
beforeAll(async () => {
  ({ gateway, plays } = await startScripted((up, url) => ({
    breaker: { enabled: false },
    providers: {
      up: { ...up, apiKey: 'one' },
      google: { api: 'gemini', baseUrl: `${url}/v1beta`, apiKey: 'k' },
      claude: { api: 'anthropic', baseUrl: url, apiKey: 'k' },
      aws: { api: 'bedrock', baseUrl: url, apiKey: 'k', region: 'eu-west-1' },
    },
  })));
});
afterAll(() => gateway.close());

const body = (status: number, sent: unknown): Step => ({ status, body: sent });
const refusal = (status: number, error: unknown): Step => body(status, { error });
const minimax = (status_code: number, status_msg: string): Step =>
  body(200, { base_resp: { status_code, status_msg } });
const googles = (message: string): Step =>
  refusal(400, { code: 400, status: 'INVALID_ARGUMENT', message });

const isOverflow = { calls: 1, status: 400, code: 'context_length_exceeded' };
const isFiltered = { calls: 1, status: 400, code: 'content_filter' };
const isOutOfCredit = { calls: 1, status: 429, code: 'insufficient_quota' };
const isRateLimit = { calls: 3, status: 429, code: 'rate_limit_exceeded' };
/** It is asked with another key, of which there is none. */
const isWrongKey = { calls: 1, status: 502 };
const isMissing = { calls: 1, status: 404, code: 'model_not_found' };
const isRefused = { calls: 1, status: 400, code: 'request_refused' };

type Row = readonly [provider: string, what: string, step: Step];
const of = (provider: string, status: number, ...messages: string[]): Row[] =>
  messages.map((message) => [provider, message, refusal(status, { message })]);

/** What servers and relays answer, as their users report it. */
const kinds: readonly (readonly [string, object, readonly Row[]])[] = [
  [
    'a conversation that is too long',
    isOverflow,
    [
      ...of(
        'up',
        400,
        'Input length 131393 exceeds the maximum allowed input length of 131040 tokens.',
        'Prompt has 256468 tokens, but the configured context size is 256000 tokens',
        "Requested token count exceeds the model's maximum context length of 131072 tokens",
        'prompt token count of 51808 exceeds the limit of 12288',
        'tokens in request more than max tokens allowed',
        'Request contains 35000 tokens, which exceeds the limit of 32768.',
        'Your input context is too long. Reduce your input context.',
        'Input token length too long',
        "The length of tokens in the request is too long. Do not exceed the model's limit.",
        'Conversation length exceeded. Please start a new session.',
        'Current length is 132784 while limit is 131000',
        'Model context window is 128k tokens, you requested 256k tokens',
        'Prompt too large for this model',
        'Request size exceeds model context window',
        'Input prompt (9000 tokens) is too long and exceeds limit of 8192',
        '`inputs` must have less than 4095 tokens. Given: 5000',
        'The estimated number of tokens (9000) exceeded this model context window limit (7968).',
        'prompt (9000 tokens) exceeds max_seq_len 8192',
        'Total tokens of image and text exceed max message tokens.',
        "Invalid 'messages[1].content': string too long. Expected a string with maximum length 9.",
        'too many total text bytes',
        'Prompt 超长',
        '输入长度超过限制',
        '上下文长度超出',
        'token数量超过限制',
        '超过最大长度',
      ),
      ['up', 'a type', refusal(400, { type: 'exceed_context_size_error', message: 'no' })],
      ['up', 'a code', refusal(400, { code: 'context_too_large', message: 'no' })],
      [
        'google',
        'Vertex',
        googles('the input token count is 1500000 but model only supports up to 1048576.'),
      ],
      ['aws', 'Titan', body(400, { message: 'expected maxLength: 50000, actual: 60000' })],
    ],
  ],
  [
    'what only resembles one',
    isRefused,
    of(
      'up',
      400,
      'max_tokens is too large: 100000. This model supports at most 4096 completion tokens',
      "Invalid 'user': string too long. Expected a string with maximum length 64.",
      'Requested max_tokens exceeds the model output limit',
      'Range of max_tokens should be [1, 8192]',
      'Current token count exceeds your organization quota',
      'tool name length is too long',
      'The image exceeds the maximum allowed input size',
      '工具名称超长',
    ),
  ],
  [
    'a request that is refused in an answer with status 200',
    { calls: 1 },
    [
      // Text Generation Inference (huggingface_hub #2558)
      ['up', 'a type', body(200, { error: 'top_p must be < 1', error_type: 'validation' })],
      ['up', 'a status', body(200, { error: { message: 'no', http_status_code: 422 } })],
    ],
  ],
  [
    'content that a filter refuses',
    isFiltered,
    [
      ...of(
        'up',
        400,
        'Your request was rejected as a result of our safety system.',
        'The request was rejected because it was considered high risk',
        'System detected that the input may contain unsafe or sensitive content.',
      ),
      ['up', 'Alibaba', refusal(400, { code: 'DataInspectionFailed', message: 'no' })],
      ['up', 'Volcengine', refusal(400, { code: 'SensitiveContentDetected', message: 'no' })],
      ['up', 'MiniMax', minimax(1026, 'input new_sensitive')],
      // neither is a matter of the key
      [
        'up',
        'xAI',
        body(403, { code: 'no permission', error: 'Content violates usage guidelines.' }),
      ],
      [
        'up',
        'OpenRouter',
        refusal(403, {
          code: 403,
          message: 'openai/m requires moderation. Your input was flagged for "violence".',
        }),
      ],
      ['up', 'a relay', refusal(500, { code: 'sensitive_words_detected', type: 'new_api_error' })],
      ['up', 'a relay of Azure', refusal(500, { code: 'content_filter', message: 'filtered' })],
      [
        'google',
        'Vertex',
        googles("contains sensitive words that violate Google's Responsible AI"),
      ],
    ],
  ],
  [
    'a key that is refused',
    isWrongKey,
    [
      ...of('up', 400, 'API key expired. Please renew the API key.', 'API Key not found.'),
      [
        'up',
        'Alibaba',
        refusal(400, { code: 'InvalidApiKey', message: 'Invalid API-key provided.' }),
      ],
      ['up', 'MiniMax', minimax(1004, 'login fail: Please carry the API secret key')],
      ['up', 'MiniMax, another', minimax(2049, 'invalid api key')],
      ['up', 'Baidu', body(200, { error_code: 110, error_msg: 'Access token invalid' })],
      [
        'up',
        'Hugging Face',
        body(400, { error: 'The header is right, but the token seems invalid' }),
      ],
      [
        'up',
        'Cloudflare',
        body(400, { success: false, errors: [{ message: 'Unable to authenticate request' }] }),
      ],
      ['up', 'Groq', refusal(400, { message: 'Organization has been restricted.' })],
      [
        'claude',
        'Anthropic',
        refusal(400, {
          type: 'invalid_request_error',
          message: 'This organization has been disabled.',
        }),
      ],
      ['up', 'a relay: 500', refusal(500, { code: 'invalid_api_key', message: 'no' })],
      ['up', 'a relay: 503', refusal(503, { message: 'Incorrect API key provided' })],
      ['up', 'a relay: 404', refusal(404, { type: 'authentication_error', message: 'no' })],
    ],
  ],
  [
    'an account without credit',
    isOutOfCredit,
    [
      ['up', 'LiteLLM', refusal(400, { type: 'budget_exceeded', message: 'Budget: 10.0' })],
      ['up', 'LiteLLM, of a user', refusal(429, { message: 'ExceededBudget: User over budget.' })],
      ['up', 'a relay', refusal(403, { code: 'insufficient_user_quota', message: '用户额度不足' })],
      ['up', 'a relay of keys', refusal(403, { code: 'pre_consume_token_quota_failed' })],
      ['up', 'Alibaba', refusal(403, { code: 'AllocationQuota.FreeTierOnly', message: 'no' })],
      ['up', 'Z.ai', refusal(429, { code: '1308', message: 'Usage limit reached for 5 hour.' })],
      ['up', 'ChatGPT', refusal(429, { type: 'usage_limit_reached', message: 'no' })],
      ['up', 'Kimi', refusal(403, { message: "You've reached your usage limit for this cycle." })],
      ['up', 'MiniMax', minimax(2056, 'usage limit exceeded')],
      ['up', 'Volcengine', refusal(403, { code: 'AccountOverdueError', message: 'no' })],
      ['google', 'Google', refusal(429, { code: 429, message: 'Your credits are depleted.' })],
      ['up', 'DeepInfra', body(402, { detail: { error: 'please add balance or payment method' } })],
      [
        'claude',
        'Anthropic',
        body(429, {
          type: 'error',
          error: { type: 'rate_limit_error', message: 'Extra usage is required for long context.' },
        }),
      ],
    ],
  ],
  [
    'a rate limit',
    isRateLimit,
    [
      ['up', 'MiniMax', minimax(1002, 'rate limit')],
      ['up', 'MiniMax, of tokens', minimax(1039, 'token limit')],
      ['up', 'GitHub', body(403, { message: 'You have exceeded a secondary rate limit.' })],
      ['up', 'iFlow', body(200, { status: '449', msg: 'Your API token has reached rate limit' })],
      ['up', 'a relay: 400', refusal(400, { message: 'Rate limit reached for requests' })],
      ['up', 'a relay in Chinese', refusal(400, { message: '请求过于频繁，请稍后再试' })],
      ['up', 'a relay: 500', refusal(500, { code: 'Throttling.RateQuota', message: 'no' })],
    ],
  ],
  [
    'a limit of a day',
    { ...isRateLimit, calls: 1 },
    [
      ...of('up', 429, 'Tokens per day limit exceeded', 'You have reached your daily limit'),
      ...[
        { violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }] },
        { violations: [null] },
      ].map((quota, at): [string, string, Step] => [
        'google',
        at ? 'Google, where nothing is free' : 'Google, which says to wait',
        refusal(429, {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          message: `You exceeded your current quota, limit: ${at ? 0 : 250}, model: m`,
          details: [quota, { '@type': 'RetryInfo', retryDelay: '0.1s' }],
        }),
      ]),
    ],
  ],
  [
    'a server with too much to do, which speaks of limits and budgets',
    { calls: 3, status: 503 },
    of('up', 503, 'Retry budget exceeded', 'Concurrency limit: 0 left', 'Over the limit: 0.5/s'),
  ],
  [
    'a server that failed, and calls it a bad request',
    { calls: 3, status: 502 },
    [
      ['up', 'LM Studio', body(400, { error: 'The model has crashed. (Exit code: 6)' })],
      ['up', 'LM Studio, of its model', body(400, { error: 'Model unloaded.' })],
      [
        'up',
        'NVIDIA',
        body(400, { title: 'Bad Request', detail: "Function id 'x': DEGRADED function" }),
      ],
    ],
  ],
  [
    'a conversation that the template of a model refuses',
    { calls: 1, status: 400 },
    [
      [
        'up',
        'llama.cpp',
        refusal(500, {
          code: 500,
          message: 'Error: Jinja Exception: Conversation roles must alternate user/assistant',
          type: 'server_error',
        }),
      ],
    ],
  ],
  [
    'a call that was given up on its way',
    { calls: 3, status: 502 },
    [
      ['up', 'nginx', body(499, 'client closed request')],
      ['claude', 'a relay', body(499, 'client closed request')],
      ['google', 'Google', refusal(499, { code: 499, status: 'CANCELLED', message: 'no' })],
    ],
  ],
  [
    'a model that is not there',
    isMissing,
    [['up', 'a relay', refusal(503, { code: 'model_not_found', message: '无可用渠道' })]],
  ],
];

describe.each(kinds)('%s', (_kind, expected, rows) => {
  it.each(rows)('is told by %s as what it is: %s', async (provider, _what, step) => {
    const model = plays.newModel();
    const atOnce = { headers: { 'retry-after-ms': '0' } };
    plays.set(model, expected === isRateLimit ? { ...step, ...atOnce } : step);
    const heard = await ask(gateway, ways[3]!, { models: [`${provider}/${model}`] });
    const { code } = heard.error as { code: unknown };
    expect({ calls: plays.of(model).length, status: heard.status, code }).toMatchObject(expected);
  });
});
