import { Anchor, Badge, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { formatUsd, unknownValue } from '../../format/numbers.js';
import { formatInstant, formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import type { PreviewItem } from './use-preview.js';
import { ScrollingTable } from './scrolling-table.js';

const text = texts.preferences;
type Candidate = NonNullable<PreviewItem['winner']>;

/** For each prompt or request: who wins, by how much, at what cost, and what changes. */
export function PreviewTable({
  items,
  heading,
}: {
  items: readonly PreviewItem[];
  heading: string;
}) {
  const { winner, lead, cost, quality, latency } = text.items;
  return (
    <ScrollingTable least={600} most={560} verticalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{heading}</Table.Th>
          <Table.Th>{winner}</Table.Th>
          <Table.Th>{lead}</Table.Th>
          {[cost, quality, latency].map((label) => (
            <Table.Th key={label} ta="right">
              {label}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {items.map((item) => (
          <Row key={item.id} item={item} />
        ))}
      </Table.Tbody>
    </ScrollingTable>
  );
}

function Row({ item }: { item: PreviewItem }) {
  const { winner, runnerUp, lead } = item;
  return (
    <Table.Tr>
      <Table.Td maw={240}>
        <Source item={item} />
      </Table.Td>
      <Table.Td>
        <Winner item={item} />
      </Table.Td>
      <Table.Td>
        <Text size="sm" c={runnerUp ? undefined : 'dimmed'}>
          {runnerUp && lead
            ? fill(text.leadBy, { label: runnerUp.label, score: lead.score?.toFixed(3) ?? '' })
            : text.nobodyElse}
        </Text>
      </Table.Td>
      <Figure value={winner && formatUsd(winner.cost)} change={costChange(item)} />
      <Figure value={winner?.quality?.toFixed(3) ?? null} change={intervalText(winner)} />
      <Figure
        value={winner?.latency === null ? null : formatMs((winner?.latency ?? 0) * 1_000)}
        change={null}
      />
    </Table.Tr>
  );
}

function Source({ item: { source, id, kind, prompt, at, answered } }: { item: PreviewItem }) {
  if (source === 'request')
    return (
      <>
        <Anchor component={Link} href={`/requests/${id}`} size="sm">
          {formatInstant(at)}
        </Anchor>
        <Text size="xs" c="dimmed">
          {answered ? fill(text.answeredBy, { label: answered }) : text.notAnswered}
        </Text>
      </>
    );
  return (
    <>
      <Badge size="xs" variant="default">
        {kind === undefined ? '' : text.kinds[kind as keyof typeof text.kinds]}
      </Badge>
      <Text size="sm" lineClamp={2} title={prompt}>
        {prompt}
      </Text>
    </>
  );
}

function Winner({ item: { winner, current, isChanged, reason } }: { item: PreviewItem }) {
  if (!winner)
    return (
      <Text size="sm" className="text-plain" title={reason}>
        {text.nobody}
      </Text>
    );
  return (
    <>
      <Text size="sm" fw={isChanged ? 700 : 400} title={winner.reason}>
        {winner.label}
      </Text>
      {isChanged && current ? (
        <Text size="xs" c="dimmed">
          {fill(text.insteadOf, { label: current.label })}
        </Text>
      ) : null}
    </>
  );
}

const Figure = ({ value, change }: { value: string | null; change: string | null }) => (
  <Table.Td ta="right">
    <Text size="sm">{value ?? unknownValue}</Text>
    {change === null ? null : (
      <Text size="xs" c="dimmed">
        {change}
      </Text>
    )}
  </Table.Td>
);

function costChange({ change, isChanged }: PreviewItem): string | null {
  const cost = change?.cost;
  if (!isChanged || cost === null || cost === undefined || cost === 0) return null;
  return `${cost > 0 ? '+' : ''}${formatUsd(cost)}`;
}

function intervalText(winner: Candidate | null): string | null {
  const [low, high] = winner?.interval ?? [];
  return low === undefined || high === undefined
    ? null
    : fill(text.interval, { low: low.toFixed(2), high: high.toFixed(2) });
}
