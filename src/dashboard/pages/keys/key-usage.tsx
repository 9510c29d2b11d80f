import {
  Anchor,
  Button,
  Group,
  Paper,
  SegmentedControl,
  Stack,
  Table,
  Text,
  Title,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, basePath, dataOf, type Schema } from '../../api/client.js';
import { Loaded } from '../../components/loaded.js';
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

const figures = [
  { label: text.requests, of: ({ requests }: UsageRow) => formatCount(requests) },
  { label: text.errors, of: ({ errors }: UsageRow) => formatCount(errors) },
  { label: text.promptTokens, of: ({ promptTokens }: UsageRow) => formatCount(promptTokens) },
  {
    label: text.completionTokens,
    of: ({ completionTokens }: UsageRow) => formatCount(completionTokens),
  },
  { label: text.cost, of: ({ costUsd }: UsageRow) => formatUsd(costUsd) },
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
    <Paper withBorder p="md">
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h4">
            {text.usage}
          </Title>
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
        </Group>
        <Loaded query={usage}>{({ items }) => <UsageTable rows={items} />}</Loaded>
      </Stack>
    </Paper>
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
    <Table.ScrollContainer minWidth={560}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.name}</Table.Th>
            {figures.map(({ label }) => (
              <Table.Th key={label} ta="right">
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.keyId ?? ''}>
              <Table.Td>{row.keyName ?? row.keyId ?? text.noKey}</Table.Td>
              {figures.map(({ label, of }) => (
                <Table.Td key={label} ta="right">
                  {of(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
