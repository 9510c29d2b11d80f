import { Anchor, Badge, Text } from '@mantine/core';
import { Link } from 'wouter';
import { type Column, ListTable } from '../../components/list-table.js';
import { formatUsd, unknownValue } from '../../format/numbers.js';
import { formatInstant, formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import type { PreviewItem } from './use-preview.js';

const text = texts.preferences;
type Candidate = NonNullable<PreviewItem['winner']>;

/** For each prompt or request: who wins, by how much, at what cost, and what changes. */
export const PreviewTable = ({
  items,
  heading,
}: {
  items: readonly PreviewItem[];
  heading: string;
}) => (
  <ListTable
    label={heading}
    columns={[{ label: heading, cell: (item) => <Source item={item} /> }, ...columns]}
    rows={items}
    keyOf={({ id }, index) => id ?? index}
    minWidth={600}
    maxHeight={560}
  />
);

const columns: readonly Column<PreviewItem>[] = [
  { label: text.items.winner, cell: (item) => <Winner item={item} /> },
  { label: text.items.lead, cell: leadOf },
  {
    label: text.items.cost,
    cell: (item) => (
      <Figure value={item.winner && formatUsd(item.winner.cost)} change={costChange(item)} />
    ),
    isFigure: true,
  },
  {
    label: text.items.quality,
    cell: ({ winner }) => (
      <Figure value={winner?.quality?.toFixed(3) ?? null} change={intervalText(winner)} />
    ),
    isFigure: true,
  },
  {
    label: text.items.latency,
    cell: ({ winner }) => (
      <Figure
        value={winner === null || winner.latency === null ? null : formatMs(winner.latency * 1_000)}
        change={null}
      />
    ),
    isFigure: true,
  },
];

function leadOf({ runnerUp, lead }: PreviewItem): string {
  if (!runnerUp || !lead) return text.nobodyElse;
  return fill(text.leadBy, { label: runnerUp.label, score: lead.score?.toFixed(3) ?? '' });
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
      <Text size="sm" lineClamp={2} miw={110} title={prompt}>
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
  <>
    {value ?? unknownValue}
    {change === null ? null : (
      <Text size="xs" c="dimmed">
        {change}
      </Text>
    )}
  </>
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
