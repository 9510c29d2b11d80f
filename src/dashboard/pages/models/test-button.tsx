import { Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { CompactButton } from '../../components/elements.js';
import { api, dataOf } from '../../api/client.js';
import type { Schema } from '../../api/schema.js';
import { formatUsd } from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';

const text = texts.models;

interface TestButtonProps {
  provider: string;
  /** Default: the cheapest that `auto` may choose. */
  model?: string;
}

/** A button that sends a tiny request to a provider, and what came of it. */
export function TestButton({ provider, model }: TestButtonProps) {
  const testing = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/api/v1/providers/{name}/test', {
          params: { path: { name: provider } },
          body: model === undefined ? {} : { model },
        }),
      ),
  });
  const name = model === undefined ? provider : `${provider}/${model}`;
  return (
    <Stack gap={4} align="flex-start">
      <CompactButton
        loading={testing.isPending}
        aria-label={fill(text.testLabel, { name })}
        onClick={() => testing.mutate()}
      >
        {text.test}
      </CompactButton>
      <Text size="xs" maw={280} className="text-plain" role="status" c={colorOf(testing)}>
        {wordsOf(testing)}
      </Text>
    </Stack>
  );
}

interface Tested {
  data: Schema<'ProviderTestResponse'> | undefined;
  error: Error | null;
}

const colorOf = ({ data, error }: Tested): string =>
  error || data?.ok === false ? 'var(--mantine-color-error)' : 'dimmed';

function wordsOf({ data, error }: Tested): string {
  if (error) return error.message;
  if (!data) return '';
  return data.ok
    ? fill(text.testOk, {
        model: data.model,
        latency: formatMs(data.latencyMs),
        ttft: formatMs(data.ttftMs),
        cost: formatUsd(data.costUsd),
      })
    : fill(text.testFailed, { model: data.model, message: data.error?.message ?? '' });
}
