import { Alert, Group, Progress, Stack, Text } from '@mantine/core';
import { api, type Schema } from '../../api/client.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { Loaded } from '../../components/loaded.js';
import { Panel } from '../../components/panel.js';
import { StateBadge } from '../../components/state-badge.js';
import { formatAgo } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { isUnderWay, trainingColors, useRefresh, useTraining } from './queries.js';
import { TrainingResult } from './training-result.js';
import { TrainingUpload } from './training-upload.js';

const text = texts.preferences;
type Training = Schema<'TrainingResponse'>;

/** The training of a preference: its upload, its progress, its result. */
export function TrainingSection({ id }: { id: string }) {
  const query = useTraining(id);
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
          <Text size="sm" c="dimmed">
            {isUnderWay(training)
              ? training.doing
              : fill(text.trained, { ago: formatAgo(updatedAt) })}
          </Text>
        </Group>
        {isUnderWay(training) ? null : <RemoveTraining id={id} />}
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

function RemoveTraining({ id }: { id: string }) {
  const refresh = useRefresh();
  return (
    <ConfirmButton
      label={text.removeTraining}
      question={text.removeTrainingQuestion}
      act={async () => {
        await api.DELETE('/api/v1/preferences/{id}/training', { params: { path: { id } } });
        await refresh.training(id);
      }}
    />
  );
}
