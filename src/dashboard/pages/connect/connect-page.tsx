import {
  Alert,
  Button,
  Group,
  PasswordInput,
  Select,
  SimpleGrid,
  Stack,
  Tabs,
  Text,
} from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, gatewayUrl } from '../../api/client.js';
import { CodeBlock } from '../../components/elements.js';
import { Failure } from '../../components/loaded.js';
import { Page, Panel, useIsNarrow } from '../../components/page.js';
import { useMay } from '../../session/session.js';
import { fill, texts } from '../../texts/texts.js';
import { snippets } from './snippets.js';
import { useRead } from '../../api/queries.js';
import { typed } from '../../components/fields.js';

const text = texts.connect;

/** The model that stands in the settings until another is chosen. */
const defaultModel = 'auto';

/** The page `/connect`: settings for other programs, filled in. */
export default function ConnectPage() {
  const [model, setModel] = useState(defaultModel);
  const [key, setKey] = useState('');
  const [program, setProgram] = useState('curl');
  const isNarrow = useIsNarrow();
  const shown = snippets({ url: gatewayUrl, key: key === '' ? text.placeholder : key, model });
  return (
    <Page title={texts.navigation.connect} lead={text.lead}>
      <Panel title={text.fillIn}>
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <ModelSelect model={model} choose={setModel} />
          <KeyField value={key} change={setKey} program={program} />
        </SimpleGrid>
      </Panel>
      <Tabs
        variant="pills"
        styles={{ tabLabel: { textAlign: 'start' } }}
        orientation={isNarrow ? 'horizontal' : 'vertical'}
        value={program}
        onChange={(id) => setProgram(id ?? 'curl')}
        keepMounted={false}
      >
        <Tabs.List {...(isNarrow ? { mb: 'md' } : { mr: 'md' })}>
          {shown.map((snippet) => (
            <Tabs.Tab key={snippet.program} value={snippet.program} py={6}>
              {snippet.program}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {shown.map(({ program: name, place, code, tried }) => (
          <Tabs.Panel key={name} value={name} miw={0}>
            <Stack gap="xs">
              <Text size="sm">
                {text.where}: {place}
              </Text>
              <CodeBlock code={code} label={name} />
              <Text size="sm" c="dimmed">
                {tried === null
                  ? text.notTried
                  : tried === 'requests'
                    ? text.knownRequests
                    : fill(text.tried, { version: tried })}
              </Text>
            </Stack>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}

function ModelSelect({ model, choose }: { model: string; choose: (model: string) => void }) {
  const models = useRead('/v1/models', {});
  const names = models.data?.data.map(({ id }) => id) ?? [];
  return (
    <Select
      label={texts.common.model}
      description={text.modelHint}
      data={[...new Set([defaultModel, ...names])]}
      value={model}
      onChange={(chosen) => choose(chosen ?? defaultModel)}
      searchable
      allowDeselect={false}
    />
  );
}

interface KeyFieldProps {
  value: string;
  change: (key: string) => void;
  /** Names the key that is created here. */
  program: string;
}

function KeyField({ value, change, program }: KeyFieldProps) {
  const mayMakeKeys = useMay()('admin');
  const creating = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/api/v1/keys', { body: { name: fill(text.keyName, { program }) } })),
    onSuccess: (made) => change(made.key ?? ''),
  });
  return (
    <Stack gap="xs">
      <Group align="flex-end">
        <PasswordInput
          flex="1 1 14rem"
          label={text.key}
          description={mayMakeKeys ? text.keyHint : text.keyHintOwn}
          autoComplete="off"
          {...typed(value, change)}
        />
        {mayMakeKeys ? (
          <Button loading={creating.isPending} onClick={() => creating.mutate()}>
            {texts.common.createKey}
          </Button>
        ) : null}
      </Group>
      {creating.data ? (
        <Alert color="green" role="status">
          {fill(text.created, { name: creating.data.name })}
        </Alert>
      ) : null}
      {creating.error ? <Failure error={creating.error} /> : null}
    </Stack>
  );
}
