import { Button, Group } from '@mantine/core';
import { texts } from '../texts/texts.js';
import { Failure } from './loaded.js';

interface DialogEndProps {
  /** What the dialog does. */
  acting: { readonly error: Error | null; readonly isPending: boolean };
  /** Default: “Save”. */
  label?: string;
  color?: string;
  /** Whether it can be done. */
  isReady?: boolean;
  /** Does it; absent: the button submits the form around it. */
  act?: () => void;
  close: () => void;
}

/** The end of a dialog: why it failed, and the buttons that leave it or do what it is for. */
export function DialogEnd(props: DialogEndProps) {
  const { acting, label = texts.common.save, color, isReady = true, act, close } = props;
  return (
    <>
      {acting.error ? <Failure error={acting.error} /> : null}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {texts.common.cancel}
        </Button>
        <Button
          type={act ? 'button' : 'submit'}
          color={color}
          loading={acting.isPending}
          disabled={!isReady}
          onClick={act}
        >
          {label}
        </Button>
      </Group>
    </>
  );
}
