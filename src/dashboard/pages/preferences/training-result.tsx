import { Badge, Group, Stack, Table, Text } from '@mantine/core';
import type { Schema } from '../../api/client.js';
import { formatCount, formatUsd } from '../../format/numbers.js';
import { fill, texts } from '../../texts/texts.js';
import { CostQualityPlot } from './cost-quality-plot.js';
import type { Evaluation } from './plot-layout.js';
import { ScrollingTable } from './scrolling-table.js';

const text = texts.preferences;
type Report = NonNullable<Schema<'TrainingResponse'>['report']>;

/** What a training found, in words, as a plot and as figures. */
export function TrainingResult({ report }: { report: Report }) {
  const { finding, verdict, evaluation, rows, prompts, models } = report;
  const sizes = { rows: formatCount(rows), prompts: formatCount(prompts), models: models.length };
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Text fw={600}>{text.result}</Text>
        {finding ? <Badge variant="default">{text.findings[finding]}</Badge> : null}
      </Group>
      <Text size="sm" c="dimmed">
        {fill(text.resultRows, sizes)}
      </Text>
      <Text size="sm" className="text-plain">
        {verdict}
      </Text>
      {evaluation ? (
        <>
          <CostQualityPlot evaluation={evaluation} />
          <Figures evaluation={evaluation} />
        </>
      ) : (
        <Text size="sm" c="dimmed">
          {text.noPlot}
        </Text>
      )}
    </Stack>
  );
}

/** The plot's main points as a table. */
function Figures({
  evaluation: { singles, trained, shipped, source },
}: {
  evaluation: Evaluation;
}) {
  const rows = [
    ...(trained[0] ? [{ name: bestOf(text.trainedRouter), ...trained[0] }] : []),
    ...(shipped[0] ? [{ name: bestOf(text.shippedRouter), ...shipped[0] }] : []),
    ...singles.map((single) => ({ name: single.model, ...single })),
  ];
  return (
    <>
      <ScrollingTable least={480} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.way}</Table.Th>
            <Table.Th ta="right">{text.score}</Table.Th>
            <Table.Th ta="right">{text.costOf}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ name, score, cost }) => (
            <Table.Tr key={name}>
              <Table.Td>{name}</Table.Td>
              <Estimate of={score} show={(value) => value.toFixed(3)} />
              <Estimate of={cost} show={formatUsd} />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollingTable>
      {source === 'prices' ? (
        <Text size="xs" c="dimmed">
          {text.costsFromPrices}
        </Text>
      ) : null}
    </>
  );
}

const bestOf = (name: string): string => fill(text.bestQuality, { name });

interface EstimateProps {
  of: { value: number; low: number; high: number };
  show: (value: number) => string;
}

const Estimate = ({ of: { value, low, high }, show }: EstimateProps) => (
  <Table.Td ta="right">
    {show(value)}{' '}
    <Text span size="xs" c="dimmed">
      {fill(text.interval, { low: show(low), high: show(high) })}
    </Text>
  </Table.Td>
);
