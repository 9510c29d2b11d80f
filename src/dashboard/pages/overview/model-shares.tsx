import { Box, Group, Progress, Text } from '@mantine/core';
import { Note, PageLink } from '../../components/elements.js';
import { colorsOf } from '../../components/chart-columns.js';
import { type Column, figure, ListTable, column, minor } from '../../components/list-table.js';
import { Panel } from '../../components/page.js';
import { formatCompact, formatShare, formatUsd, unknownValue } from '../../format/numbers.js';
import { shortNames } from '../../format/outcomes.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import {
  errorRate,
  groupName,
  modelHref,
  type SeriesGroup,
  type Shown as Span,
  type UsageSeries,
} from './series.js';

const text = texts.overview;

/** What each model did, with links to its requests. */
export function ModelShares({ series, span }: { series: UsageSeries; span: Span }) {
  const { groups, totals } = series;
  if (groups.length === 0) return null;
  const labels = groups.map(groupName);
  const [names, colors] = [shortNames(labels), colorsOf(labels)];
  return (
    <Panel title={texts.common.models}>
      <ListTable
        label={texts.common.models}
        columns={columnsOf(totals.costUsd, (group, more) => modelHref(group, span, more))}
        rows={groups.map((group, at) => ({ ...group, name: names[at]!, color: colors[at]! }))}
        keyOf={groupName}
        minWidth={680}
        isSlim
        fz={{ base: 'xs', sm: 'sm' }}
      />
      <Note mt="xs">{text.percentileNote}</Note>
    </Panel>
  );
}

type Shown = SeriesGroup & { readonly name: string; readonly color: string };

/** @param whole of all models, in USD */
function columnsOf(
  whole: number,
  linkOf: (group: SeriesGroup, more?: Readonly<Record<string, string>>) => string | null,
): readonly Column<Shown>[] {
  const shareOfCost = ({ costUsd }: Shown['totals']): string =>
    whole > 0 ? ` · ${formatShare(costUsd / whole, 0)}` : '';
  return [
    column(texts.common.model, (group) => (
      <Text inherit truncate maw={{ base: 130, sm: 260 }} title={groupName(group)}>
        <PageLink href={linkOf(group)} inherit>
          {group.name}
        </PageLink>
      </Text>
    )),
    minor(text.share, (group) => <Share group={group} />),
    figure(texts.navigation.requests, ({ totals }) => formatCompact(totals.requests), {
      isMinor: true,
    }),
    figure(
      texts.common.spend,
      ({ totals }) => `${formatUsd(totals.costUsd)}${shareOfCost(totals)}`,
    ),
    figure(text.errorRate, (group) => (
      <PageLink
        href={errorRate(group.totals) ? linkOf(group, { failedBy: 'provider' }) : null}
        inherit
      >
        {formatShare(errorRate(group.totals))}
      </PageLink>
    )),
    ...(['latency', 'ttft'] as const).map((what) =>
      figure<Shown>(
        fill(text.bothOf, { title: texts.requests[what] }),
        ({ totals: { [`${what}P50Ms` as const]: p50, [`${what}P95Ms` as const]: p95 } }) =>
          p50 === null ? unknownValue : `${formatMs(p50)} · ${formatMs(p95)}`,
        { isMinor: true },
      ),
    ),
  ];
}

const Share = ({ group }: { group: Shown }) => (
  <Group gap="xs" wrap="nowrap" miw={160}>
    <Box style={{ flex: 1 }}>
      <Progress
        value={group.share * 100}
        color={group.color}
        aria-label={fill(text.shareOf, { model: groupName(group) })}
      />
    </Box>
    <Text size="sm" w={52} ta="right" className="figures">
      {formatShare(group.share)}
    </Text>
  </Group>
);
