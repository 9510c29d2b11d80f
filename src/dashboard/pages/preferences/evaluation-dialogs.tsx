import {
  Autocomplete,
  Button,
  Group,
  Modal,
  NumberInput,
  Stack,
  Text,
  Textarea,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schema } from '../../api/client.js';
import { DialogEnd } from '../../components/dialog-end.js';
import { useModelLabels } from '../../components/model-labels.js';
import { fill, texts } from '../../texts/texts.js';
import { useRefresh } from './queries.js';
import { scoreChanges } from './score-text.js';

const text = texts.preferences.set;
type Scores = Readonly<Record<string, number>>;

/** A dialog that adds a prompt of one's own. */
export function AddPrompt() {
  const [prompt, setPrompt] = useState('');
  return (
    <ScoreDialog
      label={text.add}
      title={text.add}
      scores={{}}
      isReady={prompt.trim() !== ''}
      save={async (scores) => {
        await api.POST('/api/v1/evaluations', { body: { prompt, scores: { ...scores } } });
        setPrompt('');
      }}
    >
      <Textarea
        label={text.prompt}
        autosize
        minRows={3}
        maxRows={10}
        value={prompt}
        onChange={({ currentTarget }) => setPrompt(currentTarget.value)}
      />
    </ScoreDialog>
  );
}

/** A dialog that changes the scores of a prompt. */
export const EditScores = ({ row }: { row: Schema<'EvaluationResponse'> }) => (
  <ScoreDialog
    label={text.edit}
    title={text.editTitle}
    scores={row.scores}
    isReady
    save={async (after) => {
      const scores = scoreChanges(row.scores, after);
      if (scores)
        await api.PATCH('/api/v1/evaluations/{id}', {
          params: { path: { id: row.id } },
          body: { scores },
        });
    }}
  >
    <Text size="sm" className="text-plain" lineClamp={6}>
      {row.prompt}
    </Text>
  </ScoreDialog>
);

interface ScoreDialogProps {
  label: string;
  title: string;
  scores: Scores;
  isReady: boolean;
  save: (scores: Scores) => Promise<void>;
  children: React.ReactNode;
}

function ScoreDialog({ label, title, scores, isReady, save, children }: ScoreDialogProps) {
  const refresh = useRefresh();
  const [opened, { open, close }] = useDisclosure();
  const [draft, setDraft] = useState(scores);
  const saving = useMutation({
    mutationFn: async () => {
      await save(draft);
      await refresh.evaluations();
    },
    onSuccess: close,
  });
  const show = (): void => {
    setDraft(scores);
    open();
  };
  return (
    <>
      <Button size="xs" variant="default" onClick={show}>
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={title} centered>
        <Stack>
          {children}
          <ScoreFields scores={draft} change={setDraft} />
          <DialogEnd acting={saving} isReady={isReady} act={() => saving.mutate()} close={close} />
        </Stack>
      </Modal>
    </>
  );
}

function ScoreFields({ scores, change }: { scores: Scores; change: (scores: Scores) => void }) {
  const labels = useModelLabels();
  const [model, setModel] = useState('');
  const name = model.trim();
  const add = (): void => {
    change({ ...scores, [name]: 1 });
    setModel('');
  };
  const without = (label: string): Scores =>
    Object.fromEntries(Object.entries(scores).filter(([one]) => one !== label));
  return (
    <Stack gap="xs">
      <Text size="xs" c="dimmed">
        {text.scale}
      </Text>
      {Object.entries(scores).map(([label, score]) => (
        <Group key={label} gap="xs" align="flex-end" wrap="nowrap">
          <NumberInput
            label={label}
            flex={1}
            value={score}
            step={0.1}
            onChange={(value) =>
              change(typeof value === 'number' ? { ...scores, [label]: value } : scores)
            }
          />
          <Button
            variant="default"
            aria-label={fill(text.removeScore, { model: label })}
            onClick={() => change(without(label))}
          >
            ×
          </Button>
        </Group>
      ))}
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <Autocomplete
          label={text.model}
          flex={1}
          data={[...labels]}
          limit={20}
          value={model}
          onChange={setModel}
        />
        <Button
          variant="default"
          disabled={name === '' || Object.hasOwn(scores, name)}
          onClick={add}
        >
          {text.addModel}
        </Button>
      </Group>
    </Stack>
  );
}
