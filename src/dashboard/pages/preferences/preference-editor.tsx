import { Button, Code, Grid, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type Dispatch, type SetStateAction, useState } from 'react';
import { useLocation } from 'wouter';
import { CodeBlock, CopyText, Hint, PageLink } from '../../components/elements.js';
import { api, dataOf, gatewayUrl } from '../../api/client.js';
import { ConfirmButton } from '../../components/dialog.js';
import { Failure } from '../../components/loaded.js';
import { LoadedPage, Page, Panel } from '../../components/page.js';
import { texts } from '../../texts/texts.js';
import { PreviewPanel } from './preview-panel.js';
import { SettingsForm } from './settings-form.js';
import {
  bodyOf,
  type Draft,
  draftOf,
  hasNoWeight,
  isChanged,
  newDraft,
  type Preference,
} from './settings.js';
import { TrainingSection } from './training-section.js';
import { useRead } from '../../api/queries.js';

const text = texts.preferences;

/** How requests name a preference. */
const HowToUse = ({ id }: { id: string }) => (
  <Panel title={text.how} lead={text.howHint}>
    <Group gap="sm">
      <Text size="sm">{text.idLabel}</Text>
      <Code>{id}</Code>
      <CopyText value={id} />
    </Group>
    <CodeBlock label={text.curlLabel} code={curlOf(id)} />
  </Panel>
);

const curlOf = (id: string): string =>
  [
    `curl ${gatewayUrl}/api/v1/completions \\`,
    `  -H "Authorization: Bearer $SIGNALBOX_API_KEY" -H "Content-Type: application/json" \\`,
    `  -d '{"models": ["auto"],`,
    `       "preference_id": "${id}",`,
    `       "messages": [{"role": "user", "content": "Why is the sky blue?"}]}'`,
  ].join('\n');

/** A preference that does not exist yet. */
export const NewPreference = () => (
  <Page title={text.create} actions={<BackLink />}>
    <Editor stored={null} />
  </Page>
);

/** One stored preference. */
export function EditPreference({ id }: { id: string }) {
  const query = useRead('/api/v1/preferences/{id}', { path: { id } });
  return (
    <LoadedPage query={query} title={texts.navigation.preferences}>
      {(stored) => (
        <Page title={stored.name} actions={<BackLink />}>
          <Stack gap="xl">
            <Editor stored={stored} />
            <TrainingSection id={id} isTrained={stored.router !== null} />
            <HowToUse id={id} />
            <DeletePreference id={id} />
          </Stack>
        </Page>
      )}
    </LoadedPage>
  );
}

const BackLink = () => <PageLink href="/preferences">{text.back}</PageLink>;

function Editor({ stored }: { stored: Preference | null }) {
  const [draft, setDraft] = useState<Draft>(stored ? draftOf(stored) : newDraft);
  const change = (changes: Partial<Draft>): void => setDraft((now) => ({ ...now, ...changes }));
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 4 }}>
        <Panel title={texts.navigation.settings}>
          <Stack>
            <SettingsForm draft={draft} change={change} />
            <SaveBar stored={stored} draft={draft} setDraft={setDraft} />
          </Stack>
        </Panel>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 8 }}>
        <PreviewPanel draft={draft} storedId={stored?.id ?? null} />
      </Grid.Col>
    </Grid>
  );
}

interface SaveBarProps {
  stored: Preference | null;
  draft: Draft;
  setDraft: Dispatch<SetStateAction<Draft>>;
}

function SaveBar({ stored, draft, setDraft }: SaveBarProps) {
  const hasChanges = stored !== null && isChanged(draft, stored);
  const [, navigate] = useLocation();
  const saving = useMutation({
    mutationFn: () => store(stored, draft),
    onSuccess: ({ id, name }) => {
      if (!stored) navigate(`/preferences/${id}`);
      // one that was emptied stays as it is
      setDraft((now) => (now.name.trim() === '' ? { ...now, name } : now));
    },
  });
  return (
    <Stack gap="sm">
      {saving.error ? <Failure error={saving.error} /> : null}
      <Group justify="space-between">
        <Button
          loading={saving.isPending}
          disabled={hasNoWeight(draft) || (stored !== null && !hasChanges)}
          onClick={() => saving.mutate()}
        >
          {stored ? texts.common.save : text.created}
        </Button>
        {hasChanges ? (
          <Button variant="default" onClick={() => setDraft(draftOf(stored))}>
            {text.discard}
          </Button>
        ) : null}
      </Group>
      {stored ? null : <Hint>{text.saveFirst}</Hint>}
    </Stack>
  );
}

function store(stored: Preference | null, draft: Draft): Promise<Preference> {
  const body = bodyOf(draft);
  return stored
    ? dataOf(api.PATCH('/api/v1/preferences/{id}', { params: { path: { id: stored.id } }, body }))
    : dataOf(api.POST('/api/v1/preferences', { body }));
}

function DeletePreference({ id }: { id: string }) {
  const [, navigate] = useLocation();
  return (
    <Group>
      <ConfirmButton
        label={text.deletePreference}
        question={text.deleteQuestion}
        act={async () => {
          await api.DELETE('/api/v1/preferences/{id}', { params: { path: { id } } });
          navigate('/preferences');
        }}
      />
    </Group>
  );
}
