import { describe, expect, it } from 'vitest';
import { isLocalHost } from '../../src/config/local-hosts.js';

describe("a host in the gateway's own network", () => {
  it.each([
    ...['127.0.0.1', '127.8.0.1', '[::1]', 'localhost', 'LOCALHOST.', 'vllm.localhost'],
    ...['10.1.2.3', '172.16.0.9', '192.168.1.20', '169.254.1.1', '100.64.0.7', '0.0.0.0'],
    ...['[fd12:3456::1]', '[fe80::1]', '[::ffff:192.168.0.1]'],
    ...['ollama', 'gpu-1', 'gpu.local', 'host.docker.internal', 'vllm.default.svc.cluster.local'],
  ])('is %s', (host) => {
    expect(isLocalHost(host)).toBe(true);
  });

  it.each([
    ...['api.openai.com', 'ollama.com', 'local.example', '8.8.8.8', '172.32.0.1', '100.128.0.1'],
    ...['[2606:4700::1111]', '[::ffff:8.8.8.8]', 'localhost.example.com', 'internal.com'],
  ])('is not %s', (host) => {
    expect(isLocalHost(host)).toBe(false);
  });
});
