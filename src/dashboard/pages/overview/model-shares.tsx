import { Anchor, Box, Group, Progress, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { colorAt } from '../../components/chart-columns.js';
import { formatCompact, formatShare, formatUsd } from '../../format/numbers.js';
import { formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { Panel } from './charts.js';
import { errorRate, type Range, ranges } from './ranges.js';
import { groupName, type SeriesGroup, type UsageSeries } from './series.js';

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
      <Table.ScrollContainer minWidth={680}>
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.model}</Table.Th>
              <Table.Th miw={160}>{text.share}</Table.Th>
              {[text.requests, text.spend, text.errorRate, text.latency, text.ttft].map((head) => (
                <Table.Th key={head} ta="right">
                  {head}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {groups.map((group, index) => (
              <ModelRow
                key={groupName(group, '')}
                group={group}
                color={colorAt(index)}
                whole={totals.costUsd}
                href={requestsOf(group, range, account)}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="xs" c="dimmed" mt="xs">
        {text.percentileNote}
      </Text>
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

interface ModelRowProps {
  group: SeriesGroup;
  color: string;
  /** Of all models, in USD. */
  whole: number;
  href: string | null;
}

function ModelRow({ group, color, whole, href }: ModelRowProps) {
  const { totals, share } = group;
  const name = groupName(group, text.noModel);
  const cells = [
    formatCompact(totals.requests),
    `${formatUsd(totals.costUsd)}${whole > 0 ? ` · ${formatShare(totals.costUsd / whole, 0)}` : ''}`,
    formatShare(errorRate(totals)),
    `${formatMs(totals.latencyP50Ms)} · ${formatMs(totals.latencyP95Ms)}`,
    `${formatMs(totals.ttftP50Ms)} · ${formatMs(totals.ttftP95Ms)}`,
  ];
  return (
    <Table.Tr>
      <Table.Td>
        {href === null ? (
          name
        ) : (
          <Anchor component={Link} href={href} size="sm">
            {name}
          </Anchor>
        )}
      </Table.Td>
      <Table.Td>
        <Group gap="xs" wrap="nowrap">
          <Box style={{ flex: 1 }}>
            <Progress
              value={share * 100}
              color={color}
              aria-label={fill(text.shareOf, { model: name })}
            />
          </Box>
          <Text size="sm" w={52} ta="right" className="figures">
            {formatShare(share)}
          </Text>
        </Group>
      </Table.Td>
      {cells.map((cell, index) => (
        <Table.Td key={index} ta="right" style={{ whiteSpace: 'nowrap' }}>
          {cell}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
