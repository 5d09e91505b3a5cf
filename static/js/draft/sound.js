// A short tone when it becomes the member's turn. Off until it is switched on; the browser remembers.

const REMEMBERED = "draft-sound";
const NOTES = [660, 880]; // Hz
const NOTE_SECONDS = 0.18;
const LOUDNESS = 0.2;

/** @returns {boolean} */
function wasSwitchedOn() {
  try {
    return localStorage.getItem(REMEMBERED) === "on";
  } catch {
    return false; // no storage
  }
}

/** @param {boolean} isOn */
function remember(isOn) {
  try {
    localStorage.setItem(REMEMBERED, isOn ? "on" : "off");
  } catch {
    // without storage the choice lasts as long as the page
  }
}

export class TurnSound {
  /** @param {HTMLElement} button  switches the sound on and off */
  constructor(button) {
    this.button = button;
    this.isOn = wasSwitchedOn();
    /** @type {AudioContext | null} */
    this.context = null;
    button.addEventListener("click", () => this.toggle());
    // Browsers play nothing before somebody has pressed something on the page.
    for (const gesture of ["pointerdown", "keydown"]) {
      document.addEventListener(gesture, () => this.isOn && this.open(), { once: true });
    }
    this.show();
  }

  toggle() {
    this.isOn = !this.isOn;
    remember(this.isOn);
    this.show();
    if (this.isOn) this.open();
    this.play();
  }

  show() {
    this.button.textContent = `Turn sound ${this.isOn ? "off" : "on"}`;
  }

  open() {
    this.context ??= new AudioContext();
    this.context.resume().catch(() => {}); // a device without sound
  }

  play() {
    const { context } = this;
    if (!this.isOn || !context) return;
    NOTES.forEach((frequency, index) => {
      const start = context.currentTime + index * NOTE_SECONDS;
      const end = start + NOTE_SECONDS;
      const tone = new OscillatorNode(context, { frequency });
      const volume = new GainNode(context, { gain: LOUDNESS });
      volume.gain.setValueAtTime(LOUDNESS, start);
      volume.gain.exponentialRampToValueAtTime(0.001, end); // no click at the end
      tone.connect(volume).connect(context.destination);
      tone.start(start);
      tone.stop(end);
    });
  }
}
