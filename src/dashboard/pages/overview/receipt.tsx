import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Hint, Note, PageLink } from '../../components/elements.js';
import type { Schema } from '../../api/schema.js';
import { Loaded } from '../../components/loaded.js';
import { Panel } from '../../components/page.js';
import { formatCount, formatUsd } from '../../format/numbers.js';
import { fill, texts } from '../../texts/texts.js';
import { type Range, ranges } from './series.js';
import { read } from '../../api/queries.js';

const text = texts.overview.receipt;
/** It is asked for rarely: it counts whole days. */
const refreshReceiptMs = 5 * 60_000;

type Savings = Schema<'SavingsResponse'>;

interface ReceiptProps {
  range: Range;
  account: string | undefined;
}

/** What choosing has saved, with its interval, and what prompt caches have saved. */
export function Receipt({ range, account }: ReceiptProps) {
  const query = useQuery({
    queryKey: ['savings', range, account],
    queryFn: () =>
      read('/api/v1/savings', {
        query: {
          from: String(Date.now() - ranges[range]),
          ...(account === undefined ? {} : { account }),
        },
      }),
    refetchInterval: refreshReceiptMs,
    placeholderData: keepPreviousData,
  });
  return (
    <Panel title={text.title}>
      <Loaded query={query} lines={3}>
        {(savings) => <Savings savings={savings} />}
      </Loaded>
    </Panel>
  );
}

function Savings({ savings }: { savings: Savings }) {
  const { best, choices, spentUsd, summary, from, to, cacheSavedUsd } = savings;
  const caches = (
    <Item
      label={text.savedByCaches}
      value={formatUsd(cacheSavedUsd)}
      detail={cacheSavedUsd < 0 ? text.cachesCost : text.exact}
    />
  );
  if (choices === 0)
    return (
      <Stack gap={4}>
        {cacheSavedUsd === 0 ? null : caches}
        <Text size="sm">{summary}</Text>
        <Hint>
          {text.none}{' '}
          <PageLink href="/preferences" underline="always">
            {text.preferences}
          </PageLink>
        </Hint>
      </Stack>
    );
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 2, md: 5 }}>
        <Item
          label={text.savedByRouting}
          value={formatUsd(best?.savedUsd?.value)}
          detail={intervalOf(best?.savedUsd ?? null)}
        />
        {caches}
        <Item
          label={best ? fill(text.always, { model: best.model }) : text.alwaysUnknown}
          value={formatUsd(best?.alwaysUsd?.value)}
          detail={intervalOf(best?.alwaysUsd ?? null)}
        />
        <Item label={text.spent} value={formatUsd(spentUsd?.value)} detail={intervalOf(spentUsd)} />
        <Item
          label={text.choices}
          value={formatCount(choices)}
          detail={fill(text.days, { from, to })}
        />
      </SimpleGrid>
      <Text size="sm">{summary}</Text>
    </Stack>
  );
}

function intervalOf(figure: Savings['spentUsd']): string {
  if (figure === null) return text.unknown;
  if (figure.low === figure.high) return text.exact;
  return fill(text.interval, { low: formatUsd(figure.low), high: formatUsd(figure.high) });
}

function Item({ label, value, detail }: { label: string; value: string; detail: string }) {
  return (
    <Stack gap={0}>
      <Note className="text-plain">{label}</Note>
      <Group gap={6}>
        <Text fw={650} size="lg" className="figures">
          {value}
        </Text>
      </Group>
      <Note className="figures">{detail}</Note>
    </Stack>
  );
}
