import type { FunctionsToolkitConfig } from '../../config/toolkit-config.js';
import { callHttp } from './http-call.js';
import type { ToolSource } from './tool-source.js';

/** Tools that are addresses: a call's arguments are sent there as JSON. */
export function functionsSource(config: FunctionsToolkitConfig): ToolSource {
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
