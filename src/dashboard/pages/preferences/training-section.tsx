import { Alert, Badge, Group, Progress, Stack, Text } from '@mantine/core';
import { Hint, Note, PlainText, StateBadge } from '../../components/elements.js';
import { api } from '../../api/client.js';
import type { Schema } from '../../api/schema.js';
import { ConfirmButton } from '../../components/dialog.js';
import { Loaded } from '../../components/loaded.js';
import { Panel } from '../../components/page.js';
import { formatAgo } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { isUnderWay, trainingColors, useTraining } from './queries.js';
import { TrainingUpload } from './training-upload.js';
import { type Column, figure, ListTable, column } from '../../components/list-table.js';
import { formatCount, formatQuality, formatUsd } from '../../format/numbers.js';
import { CostQualityPlot } from './cost-quality-plot.js';
import type { Evaluation } from './plot-layout.js';

const text = texts.preferences;
type Training = Schema<'TrainingResponse'>;

/** The training of a preference: its upload, its progress, its result. */
export function TrainingSection({ id, isTrained }: { id: string; isTrained: boolean }) {
  const query = useTraining(id, isTrained);
  return (
    <Panel title={text.training} lead={text.trainingHint}>
      <Loaded query={query} lines={3}>
        {(training) => (
          <Stack gap="lg">
            {training ? <Outcome id={id} training={training} /> : null}
            {isUnderWay(training) ? null : <TrainingUpload id={id} />}
          </Stack>
        )}
      </Loaded>
    </Panel>
  );
}

function Outcome({ id, training }: { id: string; training: Training }) {
  const { state, updatedAt, error, passedOver, report } = training;
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Group gap="sm">
          <StateBadge color={trainingColors[state]} label={text.states[state]} />
          <Hint>
            {isUnderWay(training)
              ? training.doing
              : fill(text.trained, { ago: formatAgo(updatedAt) })}
          </Hint>
        </Group>
        {isUnderWay(training) ? null : (
          <ConfirmButton
            label={text.removeTraining}
            question={text.removeTrainingQuestion}
            act={() =>
              api.DELETE('/api/v1/preferences/{id}/training', { params: { path: { id } } })
            }
          />
        )}
      </Group>
      {isUnderWay(training) ? (
        <Progress
          value={training.progress * 100}
          aria-label={text.progress}
          role="progressbar"
          animated
        />
      ) : null}
      {[error, passedOver].map((problem) =>
        problem ? (
          <Alert key={problem} color="red">
            {problem}
          </Alert>
        ) : null,
      )}
      {report ? <TrainingResult report={report} /> : null}
    </Stack>
  );
}

/** What a training found, in words, as a plot and as figures. */
function TrainingResult({ report }: { report: NonNullable<Schema<'TrainingResponse'>['report']> }) {
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
      <Hint>{fill(text.resultRows, sizes)}</Hint>
      <PlainText>{verdict}</PlainText>
      {evaluation ? (
        <>
          <CostQualityPlot evaluation={evaluation} />
          <Figures evaluation={evaluation} />
        </>
      ) : (
        <Hint>{text.noPlot}</Hint>
      )}
    </Stack>
  );
}

/** The plot's main points as a table. */
function Figures({ evaluation }: { evaluation: Evaluation }) {
  const { singles, trained, shipped, source } = evaluation;
  const rows = [
    ...(trained[0] ? [{ name: bestOf(text.trainedRouter), ...trained[0] }] : []),
    ...(shipped[0] ? [{ name: bestOf(text.shippedRouter), ...shipped[0] }] : []),
    ...singles.map((single) => ({ name: single.model, ...single })),
  ];
  return (
    <>
      <ListTable label={text.result} columns={columns} rows={rows} minWidth={480} />
      {source === 'prices' ? <Note>{text.costsFromPrices}</Note> : null}
    </>
  );
}

const bestOf = (name: string): string => fill(text.bestQuality, { name });

type Figure = Evaluation['singles'][number]['score'];

const columns: readonly Column<{ name: string; score: Figure; cost: Figure }>[] = [
  column(text.way, ({ name }) => name),
  figure(texts.common.score, ({ score }) => <Estimate of={score} show={formatQuality} />),
  figure(texts.common.cost, ({ cost }) => <Estimate of={cost} show={formatUsd} />),
];

interface EstimateProps {
  of: Figure;
  show: (value: number) => string;
}

const Estimate = ({ of: { value, low, high }, show }: EstimateProps) => (
  <>
    {show(value)}{' '}
    <Note span>{fill(texts.common.interval, { low: show(low), high: show(high) })}</Note>
  </>
);
