/** The tools of a running gateway, as the owner of one key sees them. */
export class GatewayClient {
  private readonly url: string;

  constructor(
    url: string,
    private readonly key: string,
  ) {
    this.url = url.replace(/\/+$/, '');
  }

  /**
   * Sends one message to `/mcp`, which needs no session.
   * @returns its result
   * @throws Error with the gateway's own message
   */
  async ask(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    const answer = await fetch(`${this.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(this.key === '' ? {} : { authorization: `Bearer ${this.key}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal,
    }).catch((error: unknown) => {
      throw new Error(`the gateway at ${this.url} could not be reached`, { cause: error });
    });
    const { result, error } = messageIn(await answer.text());
    if (result === undefined)
      throw new Error(error?.message ?? `the gateway answered ${answer.status}`);
    return result;
  }
}

/** The parts of an answer in JSON-RPC that matter here. */
interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

/** The answer in a body, which is JSON or an event stream; empty where there is none. */
function messageIn(body: string): Answer {
  const data = /^data: ?(\{.*)$/m.exec(body)?.[1] ?? body;
  try {
    return JSON.parse(data) as Answer;
  } catch {
    return {};
  }
}
