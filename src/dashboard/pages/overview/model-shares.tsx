import { Box, Group, Progress, Text } from '@mantine/core';
import { Note, PageLink } from '../../components/elements.js';
import { colorAt } from '../../components/chart-columns.js';
import { type Column, figure, ListTable } from '../../components/list-table.js';
import { Panel } from '../../components/page.js';
import { formatCompact, formatShare, formatUsd } from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import {
  errorRate,
  groupName,
  type Range,
  ranges,
  type SeriesGroup,
  type UsageSeries,
} from './series.js';

const text = texts.overview;

interface ModelSharesProps {
  series: UsageSeries;
  range: Range;
  account: string | undefined;
}

/** What each model did, with links to its requests. */
export function ModelShares({ series, range, account }: ModelSharesProps) {
  const { groups, totals } = series;
  if (groups.length === 0) return null;
  return (
    <Panel title={text.models}>
      <ListTable
        label={text.models}
        columns={columnsOf(totals.costUsd, (group) => requestsOf(group, range, account))}
        rows={groups.map((group, index) => ({ ...group, color: colorAt(index) }))}
        keyOf={(group) => groupName(group, '')}
        minWidth={680}
      />
      <Note mt="xs">{text.percentileNote}</Note>
    </Panel>
  );
}

/** The requests of a model in the request log. */
function requestsOf(group: SeriesGroup, range: Range, account: string | undefined): string | null {
  const { provider, model } = group;
  if (!provider || !model || provider === 'other') return null;
  const search = new URLSearchParams({
    model: `${provider}/${model}`,
    range: ranges[range] > ranges['30d'] ? '30d' : range,
    ...(account === undefined ? { account: 'own' } : {}),
  });
  return `/requests?${search}`;
}

type Shown = SeriesGroup & { readonly color: string };

/** @param whole of all models, in USD */
function columnsOf(
  whole: number,
  hrefOf: (group: SeriesGroup) => string | null,
): readonly Column<Shown>[] {
  const shareOfCost = ({ costUsd }: Shown['totals']): string =>
    whole > 0 ? ` · ${formatShare(costUsd / whole, 0)}` : '';
  return [
    { label: text.model, cell: (group) => <Name group={group} href={hrefOf(group)} /> },
    { label: text.share, cell: (group) => <Share group={group} /> },
    figure(text.requests, ({ totals }) => formatCompact(totals.requests)),
    figure(text.spend, ({ totals }) => `${formatUsd(totals.costUsd)}${shareOfCost(totals)}`),
    figure(text.errorRate, ({ totals }) => formatShare(errorRate(totals))),
    figure(
      text.latency,
      ({ totals }) => `${formatMs(totals.latencyP50Ms)} · ${formatMs(totals.latencyP95Ms)}`,
    ),
    figure(
      text.ttft,
      ({ totals }) => `${formatMs(totals.ttftP50Ms)} · ${formatMs(totals.ttftP95Ms)}`,
    ),
  ];
}

function Name({ group, href }: { group: SeriesGroup; href: string | null }) {
  const name = groupName(group, text.noModel);
  if (href === null) return name;
  return (
    <PageLink href={href} className="text-plain">
      {name}
    </PageLink>
  );
}

const Share = ({ group }: { group: Shown }) => (
  <Group gap="xs" wrap="nowrap" miw={160}>
    <Box style={{ flex: 1 }}>
      <Progress
        value={group.share * 100}
        color={group.color}
        aria-label={fill(text.shareOf, { model: groupName(group, text.noModel) })}
      />
    </Box>
    <Text size="sm" w={52} ta="right" className="figures">
      {formatShare(group.share)}
    </Text>
  </Group>
);
