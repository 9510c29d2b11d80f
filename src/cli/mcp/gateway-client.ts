/** A question to select a model for. */
interface Selection {
  readonly prompt: string;
  readonly models: readonly string[];
  readonly tradeoff?: string | undefined;
}

/** A question to answer. */
interface Completion {
  readonly prompt: string;
  readonly system?: string | undefined;
  readonly model?: string | undefined;
}

/** A running gateway, as the owner of one key sees it. Failures are errors with its own message. */
export class GatewayClient {
  private readonly url: string;

  constructor(
    url: string,
    private readonly key: string,
  ) {
    this.url = url.replace(/\/+$/, '');
  }

  /** The labels of the models that the key may use. */
  async models(signal: AbortSignal): Promise<string[]> {
    const { data } = (await this.ask('/v1/models', undefined, signal)) as {
      data: { id: string }[];
    };
    return data.map(({ id }) => id);
  }

  /** The chosen model as `<provider>/<model>`. */
  async select({ prompt, models, tradeoff }: Selection, signal: AbortSignal): Promise<string> {
    const body = {
      messages: [{ role: 'user', content: prompt }],
      llm_providers: models.map((name) => ({ name })),
      ...(tradeoff === undefined ? {} : { tradeoff }),
    };
    const { llm_label } = (await this.ask('/api/v1/model-select', body, signal)) as {
      llm_label: string;
    };
    return llm_label;
  }

  /** The text of the answer. */
  async complete({ prompt, system, model }: Completion, signal: AbortSignal): Promise<string> {
    const instructions = system === undefined ? [] : [{ role: 'system', content: system }];
    const body = {
      model: model ?? 'auto',
      messages: [...instructions, { role: 'user', content: prompt }],
    };
    const { choices } = (await this.ask('/v1/chat/completions', body, signal)) as {
      choices: { message: { content: string | null } }[];
    };
    return choices[0]?.message.content ?? '';
  }

  private async ask(path: string, body: unknown, signal: AbortSignal): Promise<unknown> {
    const answer = await fetch(this.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'content-type': 'application/json',
        ...(this.key === '' ? {} : { authorization: `Bearer ${this.key}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    }).catch((error: unknown) => {
      throw new Error(`the gateway at ${this.url} could not be reached`, { cause: error });
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(messageOf(text) ?? `the gateway answered ${answer.status}`);
    return JSON.parse(text);
  }
}

/** The message of an error, in the gateway's dialect or in OpenAI's. */
function messageOf(text: string): string | null {
  try {
    const { message, error } = JSON.parse(text) as { message?: unknown; error?: unknown };
    const inner = (error as { message?: unknown } | null | undefined)?.message;
    const said = message ?? inner;
    return typeof said === 'string' ? said : null;
  } catch {
    return null;
  }
}
