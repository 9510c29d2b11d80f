import { describe, expect, it } from 'vitest';
import { clientErrorOf } from '../../src/providers/client-error.js';

describe("a provider's refusal in OpenAI's vocabulary", () => {
  it.each([
    ['OpenAI', "This model's maximum context length is 8192 tokens. However, you requested 9000."],
    ['OpenAI', 'Your input exceeds the context window of this model. Please adjust your input.'],
    ['Azure', 'Input tokens exceed the configured limit of 272000 tokens.'],
    ['Anthropic', 'prompt is too long: 210000 tokens > 200000 maximum'],
    [
      'Anthropic',
      'input length and `max_tokens` exceed context limit: 174167 + 64000 > 200000, decrease input length',
    ],
    ['Gemini', 'The input token count (1500000) exceeds the maximum number of tokens allowed.'],
    ['Bedrock', 'The model returned the following errors: Input is too long for requested model.'],
    ['Bedrock', 'Input Tokens Exceeded: Number of input tokens exceeds maximum length.'],
    ['Cohere', 'too many tokens: size limit exceeded by 25836 tokens. Try using fewer inputs.'],
    [
      'Mistral',
      'Prompt contains 40000 tokens, too large for model with 32768 maximum context length',
    ],
    ['Ollama', 'prompt too long; exceeded max context length by 1119046 tokens'],
    ['Groq', 'Please reduce the length of the messages or completion.'],
    ['Perplexity', 'The total length of all messages is too long.'],
    ['SGLang', "The input (9000 tokens) is longer than the model's context length (8192 tokens)."],
    ['LM Studio', 'Trying to keep the first 5000 tokens when context the overflows. However, …'],
    ['llama.cpp', 'the request exceeds the available context size, try increasing it'],
    ['vLLM', 'The decoder prompt (length 9) is longer than the maximum model length of 8.'],
    [
      'Text Generation Inference',
      '`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9000',
    ],
    ['LM Studio', 'The number of tokens to keep is greater than the context length'],
    ['Kimi', 'Your request exceeded model token limit: 262144'],
    ['GLM', 'Prompt exceeds max length'],
    ['Qwen', 'Range of input length should be [1, 129024]'],
    ['MiniMax', 'invalid params, context window exceeds limit'],
    ['OpenRouter', "Your input exceeds the model's context window."],
    ['GitHub', 'tokens_limit_reached: Request body too large for m. Max size: 8000 tokens.'],
  ])('is context_length_exceeded for %s: %s', (_provider, reason) => {
    expect(clientErrorOf('request_refused', reason)).toMatchObject({
      code: 'context_length_exceeded',
      type: 'invalid_request_error',
    });
  });

  it.each([
    ['Azure', 'content_filter', 'The response was filtered.'],
    ['Anthropic', null, 'Output blocked by content filtering policy'],
    ['xAI', null, 'Content violates usage guidelines.'],
    ['DeepSeek', null, 'Content Exists Risk'],
    ['Z.ai', '1301', '系统检测到输入或生成内容可能包含不安全或敏感内容'],
    ['Alibaba', 'data_inspection_failed', 'Input data may contain inappropriate content.'],
  ])('is content_filter for %s', (_provider, code, reason) => {
    expect(clientErrorOf('request_refused', reason, { code })).toMatchObject({
      code: 'content_filter',
    });
  });

  it.each([
    ['Azure', 'model_not_found', 'DeploymentNotFound', 'The API deployment does not exist.'],
    ['Bedrock', 'request_refused', undefined, 'The provided model identifier is invalid.'],
    ['Mistral', 'request_refused', 1500, 'Invalid model: mistral-huge'],
    ['DeepSeek', 'request_refused', 'invalid_request_error', 'Model Not Exist'],
    ['OpenRouter', 'request_refused', 400, 'acme/none is not a valid model ID'],
    ['SiliconFlow', 'request_refused', 20012, 'Model does not exist. Please check it carefully.'],
    ['Cloudflare', 'request_refused', 5007, 'AiError: No such model'],
    ['Copilot', 'request_refused', 'model_not_supported', 'The requested model is not supported.'],
    ['Gemini', 'model_not_found', undefined, 'models/none is not found for API version v1beta'],
    ['anybody who answers 404', 'model_not_found', undefined, 'Not Found'],
  ] as const)('is model_not_found for %s', (_provider, code, own, reason) => {
    expect(clientErrorOf(code, reason, { code: own })).toMatchObject({
      code: 'model_not_found',
      param: 'model',
    });
  });

  it("keeps the provider's own words where there is no translation", () => {
    expect(
      clientErrorOf('request_refused', 'no', {
        code: 'unsupported_value',
        param: 'messages[0].content',
        type: 'odd_error',
      }),
    ).toEqual({ code: 'unsupported_value', param: 'messages[0].content', type: 'odd_error' });
  });

  it('takes only short words of a provider, never a number or a sentence', () => {
    expect(
      clientErrorOf('request_refused', 'no', {
        code: '1500',
        param: 'the first message',
        type: 'x'.repeat(65),
      }),
    ).toEqual({ code: null, param: null, type: 'invalid_request_error' });
  });

  it("is nothing for a failure that is not the client's", () => {
    expect(clientErrorOf('rate_limited', 'too many tokens a minute')).toBeNull();
    expect(clientErrorOf('provider_auth', 'invalid model access')).toBeNull();
  });
});
