import { Alert, Code, Stack, Text } from '@mantine/core';
import { CodeBlock, CodeRegion, PlainText } from '../../components/elements.js';
import { api, dataOf } from '../../api/client.js';
import type { Schema } from '../../api/schema.js';
import { type Column, ListTable, column } from '../../components/list-table.js';
import { Loaded } from '../../components/loaded.js';
import { Panel } from '../../components/page.js';
import { TestButton } from '../../components/test-button.js';
import { formatInstant, formatMs } from '../../format/times.js';
import { fill, texts } from '../../texts/texts.js';
import { connectionsOf, rulesOf, type TestedConnection } from './rules.js';
import { useRead } from '../../api/queries.js';

const text = texts.settings;
type InForce = Schema<'ConfigurationResponse'>;

/** The configuration in force, for administrators. */
export default function Configuration() {
  return (
    <Loaded query={useRead('/api/v1/configuration')} lines={8}>
      {(inForce) => (
        <Stack gap="lg" maw={960}>
          <Source inForce={inForce} />
          <Rules settings={inForce.settings} />
          <Panel title={text.connections} lead={text.connectionsLead}>
            <ListTable
              label={text.connections}
              columns={connectionColumns}
              rows={connectionsOf(inForce.connections)}
              keyOf={nameOf}
              minWidth={420}
            />
          </Panel>
          <Panel title={text.yaml} lead={text.yamlLead}>
            <CodeBlock code={inForce.yaml} label={text.yaml} />
          </Panel>
          <details>
            <summary>{text.allSettings}</summary>
            <CodeRegion label={text.allSettings}>
              {JSON.stringify(inForce.settings, null, 2)}
            </CodeRegion>
          </details>
        </Stack>
      )}
    </Loaded>
  );
}

const Source = ({ inForce: { file, loadedAt, refused } }: { inForce: InForce }) => (
  <Stack gap="xs">
    <Text size="sm">
      {text.file} <Code>{file ?? text.noFile}</Code> · {text.loadedAt} {formatInstant(loadedAt)}
    </Text>
    {refused === null ? null : (
      <Alert
        color="red"
        role="alert"
        title={fill(text.refused, { time: formatInstant(refused.at) })}
      >
        <PlainText>{refused.reason}</PlainText>
      </Alert>
    )}
  </Stack>
);

const ruleColumns: readonly Column<{ label: string; value: string }>[] = [
  column(text.rule, ({ label }) => label),
  column(text.inForce, ({ value }) => value),
];

function Rules({ settings }: Pick<InForce, 'settings'>) {
  const { rows, yaml } = rulesOf(settings);
  return (
    <Panel title={text.rules}>
      <ListTable label={text.rules} columns={ruleColumns} rows={rows} minWidth={360} />
      <Text size="sm">{text.paste}</Text>
      <CodeBlock code={yaml} label={text.paste} />
    </Panel>
  );
}

const nameOf = ({ kind, name }: TestedConnection): string =>
  [text.kinds[kind], name].filter(Boolean).join(' ');

const connectionColumns: readonly Column<TestedConnection>[] = [
  column(text.connection, nameOf),
  column(text.test, (connection) => <ConnectionTest connection={connection} />, {
    isHeadHidden: true,
  }),
];

/** A button that tries a connection, and what came of it. */
export const ConnectionTest = ({ connection }: { connection: TestedConnection }) => (
  <TestButton
    label={text.test}
    name={fill(text.testLabel, { name: nameOf(connection) })}
    test={async () => {
      const asked = api.POST('/api/v1/configuration/tests', { body: connection });
      const { ok, detail, ms } = await dataOf(asked);
      return { ok, words: fill(text.testOk, { detail, ms: formatMs(ms) }) };
    }}
  />
);
