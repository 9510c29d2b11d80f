import type { ToolkitConfig, FunctionsToolkitConfig } from '../../config/toolkit-config.js';
import { httpSessions } from './mcp/open-http.js';
import { McpSource } from './mcp/mcp-source.js';
import { stdioSessions } from './mcp/open-stdio.js';
import { OpenApiSource } from './openapi/openapi-source.js';
import type { ToolSource } from './tool-source.js';
import { callHttp } from './http-call.js';

/** What offers and runs the tools of a configured toolkit. Nothing is connected yet. */
export function createSource(
  config: ToolkitConfig,
  withoutSecrets: (text: string) => string,
  onErrorLine: (line: string) => void,
): ToolSource {
  switch (config.type) {
    case 'mcp-stdio':
      return new McpSource(config, stdioSessions(config, onErrorLine), withoutSecrets);
    case 'mcp-http':
      return new McpSource(config, httpSessions(config), withoutSecrets);
    case 'openapi':
      return new OpenApiSource(config, withoutSecrets);
    case 'functions':
      return functionsSource(config);
  }
}

/** Tools that are addresses: a call's arguments are sent there as JSON. */
function functionsSource(config: FunctionsToolkitConfig): ToolSource {
  const closing = new AbortController();
  return {
    offer: () => Promise.resolve({ tools: config.functions, warnings: [] }),
    async call(tool, args, signal) {
      const called = config.functions.find(({ name }) => name === tool);
      if (!called || closing.signal.aborted)
        return { text: 'The tool is no longer there.', isError: true };
      const headers = { ...config.headers, ...called.headers };
      const request = { method: 'POST', url: called.url, headers, body: JSON.stringify(args) };
      return callHttp(request, config, signal);
    },
    close() {
      closing.abort();
      return Promise.resolve();
    },
  };
}
