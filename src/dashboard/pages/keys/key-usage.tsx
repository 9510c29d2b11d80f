import { Anchor, Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, basePath, dataOf, type Schema } from '../../api/client.js';
import { type Column, ListTable } from '../../components/list-table.js';
import { Loaded } from '../../components/loaded.js';
import { Panel } from '../../components/page.js';
import { formatCount, formatUsd } from '../../format/numbers.js';
import { texts } from '../../texts/texts.js';

const text = texts.keys;
type UsageRow = Schema<'UsageResponse'>['items'][number];

const periods = [
  { value: '7', label: text.days7 },
  { value: '30', label: text.days30 },
  { value: '90', label: text.days90 },
];
const dayMs = 86_400_000;

/** The first day of a period that ends today; the gateway counts days in UTC. */
const firstDay = (days: number): string =>
  new Date(Date.now() - (days - 1) * dayMs).toISOString().slice(0, 10);

const columns: readonly Column<UsageRow>[] = [
  { label: text.name, cell: ({ keyName, keyId }) => keyName ?? keyId ?? text.noKey },
  { label: text.requests, cell: ({ requests }) => formatCount(requests), isFigure: true },
  { label: text.errors, cell: ({ errors }) => formatCount(errors), isFigure: true },
  {
    label: text.promptTokens,
    cell: ({ promptTokens }) => formatCount(promptTokens),
    isFigure: true,
  },
  {
    label: text.completionTokens,
    cell: ({ completionTokens }) => formatCount(completionTokens),
    isFigure: true,
  },
  { label: text.cost, cell: ({ costUsd }) => formatUsd(costUsd), isFigure: true },
];

/** What was used with each key in a period, as a table and as CSV. */
export function KeyUsage() {
  const [days, setDays] = useState('30');
  const from = firstDay(Number(days));
  const usage = useQuery({
    queryKey: ['usage-by-key', from],
    queryFn: () =>
      dataOf(api.GET('/api/v1/usage', { params: { query: { by: 'key', from, limit: 100 } } })),
  });
  return (
    <Panel
      title={text.usage}
      actions={
        <Group>
          <SegmentedControl
            aria-label={text.usageDays}
            data={periods}
            value={days}
            onChange={setDays}
            size="xs"
          />
          <Button
            component="a"
            size="xs"
            variant="default"
            href={`${basePath}/api/v1/usage?by=key&from=${from}&format=csv`}
            download={`usage-by-key-from-${from}.csv`}
          >
            {text.export}
          </Button>
        </Group>
      }
    >
      <Loaded query={usage}>{({ items }) => <UsageTable rows={items} />}</Loaded>
    </Panel>
  );
}

function UsageTable({ rows }: { rows: UsageRow[] }) {
  if (rows.length === 0)
    return (
      <Text c="dimmed" size="sm">
        {text.usageEmpty} <Anchor href={`${basePath}/connect`}>{texts.connect.title}</Anchor>
      </Text>
    );
  return (
    <ListTable
      label={text.usage}
      columns={columns}
      rows={rows}
      keyOf={({ keyId }) => keyId ?? ''}
      minWidth={560}
    />
  );
}
