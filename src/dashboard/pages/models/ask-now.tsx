import { api, dataOf } from '../../api/client.js';
import { TestButton } from '../../components/test-button.js';
import { formatUsd } from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';

const text = texts.models;

/** Sends a tiny request to a provider. Default of the model: the cheapest that `auto` may choose. */
async function ask(name: string, model?: string): Promise<{ ok: boolean; words: string }> {
  const asked = { params: { path: { name } }, body: model === undefined ? {} : { model } };
  const { ok, ...told } = await dataOf(api.POST('/api/v1/providers/{name}/test', asked));
  const words = ok
    ? fill(text.testOk, {
        model: told.model,
        latency: formatMs(told.latencyMs),
        ttft: formatMs(told.ttftMs),
        cost: formatUsd(told.costUsd),
      })
    : fill(text.testFailed, { model: told.model, message: told.error?.message ?? '' });
  return { ok, words };
}

/** A button that asks a provider, or one of its models, whether it answers. */
export const AskNow = ({ provider, model }: { provider: string; model?: string }) => (
  <TestButton
    label={text.test}
    name={fill(text.testLabel, { name: [provider, model].filter(Boolean).join('/') })}
    test={() => ask(provider, model)}
  />
);
