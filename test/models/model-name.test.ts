import { describe, expect, it } from 'vitest';
import { canonicalName, parametersInName, undatedName } from '../../src/models/model-name.js';

describe("a model's canonical name", () => {
  it.each([
    ['anthropic/claude-3.5-sonnet:beta', 'claude-3-5-sonnet'],
    ['eu.anthropic.claude-3-5-sonnet-20240620-v1:0', 'claude-3-5-sonnet-20240620'],
    ['us-gov.anthropic.claude-3-haiku-20240307-v1:0:48k', 'claude-3-haiku-20240307'],
    ['claude-3-5-sonnet@20240620', 'claude-3-5-sonnet-20240620'],
    ['publishers/anthropic/models/claude-3-5-sonnet-v2@20241022', 'claude-3-5-sonnet-20241022'],
    ['us.anthropic.claude-3-5-sonnet-20241022-v2:0', 'claude-3-5-sonnet-20241022'],
    ['claude-3-5-sonnet-v2', 'claude-3-5-sonnet-20241022'],
    ['anthropic.claude-v2', 'claude-2'],
    ['anthropic.claude-v2:1:200k', 'claude-2-1'],
    ['mistral.mistral-7b-instruct-v0:2', 'mistral-7b-instruct-0-2'],
    ['google/gemini-pro-1.5', 'gemini-1-5-pro'],
    ['gemini-flash-1.5-8b', 'gemini-1-5-flash-8b'],
    ['gemini-pro-vision', 'gemini-pro-vision'],
    ['gemini-2.5-flash-lite', 'gemini-2-5-flash-lite'],
    ['llama3.1:8b', 'llama-3-1-8b'],
    ['meta-llama/Llama-3.1-8B-Instruct', 'llama-3-1-8b-instruct'],
    ['accounts/fireworks/models/llama-v3p1-8b-instruct', 'llama-3-1-8b-instruct'],
    ['meta.llama3-1-8b-instruct-v1:0', 'llama-3-1-8b-instruct'],
    ['openai.gpt-oss-120b-1:0', 'gpt-oss-120b'],
    ['ft:gpt-4o-mini-2024-07-18:acme::abc123', 'gpt-4o-mini-2024-07-18'],
    ['deepseek.r1-v1:0', 'r1'],
    ['o3-mini', 'o3-mini'],
    ['meta-llama/Meta-Llama-3.1-70B-Instruct-Turbo', 'llama-3-1-70b-instruct-turbo'],
    ['azure/gpt-35-turbo-16k', 'gpt-3-5-turbo-16k'],
    ['gpt-350', 'gpt-350'],
    [' GPT-4.1 ', 'gpt-4-1'],
  ])('%s is %s', (name, canonical) => expect(canonicalName(name)).toBe(canonical));

  it.each([
    ['gpt-4o-2024-08-06', 'gpt-4o'],
    ['claude-3-5-sonnet-20240620', 'claude-3-5-sonnet'],
    ['gemini-2-5-flash-lite-preview-09-2025', 'gemini-2-5-flash-lite'],
    ['llama-3-3-70b-instruct-turbo', 'llama-3-3-70b'],
    ['gpt-3-5-turbo', 'gpt-3-5-turbo'],
    ['gpt-4-1', 'gpt-4-1'],
    ['2024', '2024'],
  ])('%s without its date is %s', (name, undated) => expect(undatedName(name)).toBe(undated));

  it.each([
    ['llama3.1:8b', 8],
    ['qwen2.5-0.5b-instruct', 0.5],
    ['mixtral-8x7b', 56],
    ['Qwen3-235B-A22B', 235],
    ['accounts/fireworks/models/qwen2p5-72b', 72],
    ['gpt-4o', null],
    ['a3b', null],
  ])('reads the size of %s as %s billion', (name, billions) =>
    expect(parametersInName(name)).toBe(billions),
  );
});
