import { Badge, Group, Stack, Text } from '@mantine/core';
import type { Schema } from '../../api/client.js';
import { type Column, ListTable } from '../../components/list-table.js';
import { formatCount, formatUsd } from '../../format/numbers.js';
import { fill, texts } from '../../texts/texts.js';
import { CostQualityPlot } from './cost-quality-plot.js';
import type { Evaluation } from './plot-layout.js';

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
        {finding ? (
          <Badge variant="default" tt="none">
            {text.findings[finding]}
          </Badge>
        ) : null}
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
      <ListTable
        label={text.result}
        columns={columns}
        rows={rows}
        keyOf={({ name }) => name}
        minWidth={480}
      />
      {source === 'prices' ? (
        <Text size="xs" c="dimmed">
          {text.costsFromPrices}
        </Text>
      ) : null}
    </>
  );
}

const bestOf = (name: string): string => fill(text.bestQuality, { name });

type Figure = Evaluation['singles'][number]['score'];

const columns: readonly Column<{ name: string; score: Figure; cost: Figure }>[] = [
  { label: text.way, cell: ({ name }) => name },
  {
    label: text.score,
    cell: ({ score }) => <Estimate of={score} show={(value) => value.toFixed(3)} />,
    isFigure: true,
  },
  {
    label: text.costOf,
    cell: ({ cost }) => <Estimate of={cost} show={formatUsd} />,
    isFigure: true,
  },
];

interface EstimateProps {
  of: Figure;
  show: (value: number) => string;
}

const Estimate = ({ of: { value, low, high }, show }: EstimateProps) => (
  <>
    {show(value)}{' '}
    <Text span size="xs" c="dimmed">
      {fill(text.interval, { low: show(low), high: show(high) })}
    </Text>
  </>
);
