import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../ui/icon.tsx';
import * as icons from '../../ui/icons.ts';
import { Camera, type CameraProblem, type CameraView, type OnFrame } from '../camera.ts';
import { useApp } from './context.ts';
import * as doorIcons from './icons.ts';

/** The picture of the camera. Calls `onFrame` with the texts of all codes in each frame. */
export function Viewfinder({ onFrame }: { onFrame: OnFrame }) {
  const { t } = useApp();
  const video = useRef<HTMLVideoElement>(null);
  const camera = useRef<Camera | null>(null);
  const latest = useRef(onFrame);
  latest.current = onFrame;
  const [problem, setProblem] = useState<CameraProblem | null>(null);
  const [view, setView] = useState<CameraView>({ torch: null, hasOthers: false });
  const [attempt, setAttempt] = useState(0);
  const open = async (opened: Camera) => {
    camera.current = opened;
    const found = await opened.open();
    setProblem(found);
    if (!found) setView(await opened.view());
  };
  useEffect(() => {
    const opened = new Camera(video.current as HTMLVideoElement, (texts, seenAt) => latest.current(texts, seenAt));
    void open(opened);
    return () => opened.close();
  }, [attempt]);
  const setTorch = (torch: boolean) => {
    void camera.current?.setTorch(torch);
    setView({ ...view, torch });
  };
  return (
    <div class="viewfinder">
      <video ref={video} muted playsInline aria-label={t.scan.viewfinder} />
      {problem ? <CameraTrouble problem={problem} retry={() => setAttempt(attempt + 1)} /> : <div class="aim" />}
      <div class="camera-buttons">
        {view.torch !== null && (
          <button class="round" type="button" aria-pressed={view.torch} onClick={() => setTorch(!view.torch)}>
            <Icon path={doorIcons.torch} />
            <span class="visually-hidden">{view.torch ? t.scan.torchOff : t.scan.torchOn}</span>
          </button>
        )}
        {view.hasOthers && (
          <button class="round" type="button" onClick={() => void camera.current?.useNext()}>
            <Icon path={doorIcons.turn} />
            <span class="visually-hidden">{t.scan.otherCamera}</span>
          </button>
        )}
      </div>
    </div>
  );
}

function CameraTrouble({ problem, retry }: { problem: CameraProblem; retry: () => void }) {
  const { t } = useApp();
  const text = { refused: t.camera.refusedText, missing: t.camera.missingText, busy: t.camera.busyText }[problem];
  return (
    <div class="camera-trouble" role="status">
      <Icon path={icons.alert} size={32} />
      <h2>{t.camera[problem]}</h2>
      <p>{text}</p>
      <button class="button secondary" type="button" onClick={retry}>
        {t.camera.again}
      </button>
    </div>
  );
}
