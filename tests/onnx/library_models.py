"""Models of torchvision and transformers with random weights, for torch_models.py: small, but with the code of the large ones."""

import torch
import torchvision
import transformers
from torch import nn
from transformers.cache_utils import DynamicCache

from torch_inputs import Model, normal, padding, words

IMAGE = ({0: "batch"},)
TEXT = ({0: "batch", 1: "length"},)


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = transformers.BertModel(transformers.BertConfig(
            vocab_size=30, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, max_position_embeddings=32,
            pad_token_id=None))   # whose gradient PyTorch leaves out

    def forward(self, words, mask):
        found = self.model(input_ids=words, attention_mask=mask)
        return found.last_hidden_state, found.pooler_output


class Cached(nn.Module):
    """A step of a decoder: words behind those whose keys and values are given, of each of two layers."""
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, words, keys, values, later_keys, later_values):
        cache = DynamicCache()
        cache.update(keys, values, 0)
        cache.update(later_keys, later_values, 1)
        found = self.model(input_ids=words, past_key_values=cache, use_cache=True)
        return (found.logits, *(value for layer in found.past_key_values.layers for value in (layer.keys, layer.values)))


def gpt2():
    return Cached(transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=30, n_positions=32, n_embd=32, n_layer=2, n_head=4)))


# With fewer heads of keys and values than of queries.
GROUPED = dict(vocab_size=30, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2)


def llama():
    return Cached(transformers.LlamaForCausalLM(transformers.LlamaConfig(**GROUPED)))


def qwen():
    return Cached(transformers.Qwen3ForCausalLM(transformers.Qwen3Config(**GROUPED, head_dim=8)))


class T5(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = transformers.T5ForConditionalGeneration(transformers.T5Config(
            vocab_size=30, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4))

    def forward(self, words, target):
        return self.model(input_ids=words, decoder_input_ids=target, use_cache=False).logits


def whisper():
    return transformers.WhisperModel(transformers.WhisperConfig(
        vocab_size=60, num_mel_bins=8, encoder_layers=2, encoder_attention_heads=4, decoder_layers=2, decoder_attention_heads=4,
        encoder_ffn_dim=48, decoder_ffn_dim=48, d_model=32, max_source_positions=20, max_target_positions=32,
        pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1))


class WhisperEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = whisper().encoder

    def forward(self, sound):
        return self.model(sound).last_hidden_state


class WhisperDecoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = whisper().decoder

    def forward(self, words, heard):
        return self.model(input_ids=words, encoder_hidden_states=heard, use_cache=False).last_hidden_state


class Wav2Vec(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = transformers.Wav2Vec2Model(transformers.Wav2Vec2Config(
            hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, conv_dim=(16, 16), conv_stride=(5, 2),
            conv_kernel=(10, 3), num_conv_pos_embeddings=8, num_conv_pos_embedding_groups=4))

    def forward(self, sound):
        return self.model(sound).last_hidden_state


class Clip(nn.Module):
    def __init__(self):
        super().__init__()
        sizes = dict(hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4)
        self.model = transformers.CLIPModel(transformers.CLIPConfig(
            text_config=dict(vocab_size=30, eos_token_id=29, **sizes), vision_config=dict(image_size=32, patch_size=8, **sizes), projection_dim=16))

    def forward(self, words, image):
        return self.model(input_ids=words, pixel_values=image).logits_per_image


class Segments(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = torchvision.models.segmentation.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=4)

    def forward(self, image):
        return self.model(image)["out"]


class Detector(nn.Module):
    """Boxes of objects, with those that overlap left out."""
    def __init__(self):
        super().__init__()
        self.model = torchvision.models.detection.ssdlite320_mobilenet_v3_large(
            weights=None, weights_backbone=None, num_classes=4, score_thresh=0.01, detections_per_img=2)   # more are about equally likely

    def forward(self, image):
        found = self.model(image)[0]
        return found["boxes"], found["scores"], found["labels"]


def caches(batch, length, heads=4):
    return tuple(normal(batch, heads, length, 8) for _ in range(4))


CACHED = TEXT + ({0: "batch", 2: "before"},) * 4
models = torchvision.models
MODELS = {
    "resnet50": Model(lambda: models.resnet50(num_classes=10), (normal(2, 3, 64, 64),), (normal(3, 3, 64, 64),), IMAGE),
    "mobilenet": Model(lambda: models.mobilenet_v3_small(num_classes=10), (normal(2, 3, 64, 64),), (normal(3, 3, 64, 64),), IMAGE),
    "efficientnet": Model(lambda: models.efficientnet_b0(num_classes=10), (normal(2, 3, 64, 64),), (normal(3, 3, 64, 64),), IMAGE),
    "convnext": Model(lambda: models.convnext_tiny(num_classes=10), (normal(2, 3, 64, 64),), (normal(3, 3, 64, 64),), IMAGE),
    "densenet": Model(lambda: models.densenet121(num_classes=10), (normal(2, 3, 64, 64),), (normal(3, 3, 64, 64),), IMAGE),
    "shufflenet": Model(lambda: models.shufflenet_v2_x0_5(num_classes=10), (normal(2, 3, 64, 64),), (normal(3, 3, 64, 64),), IMAGE),
    "swin": Model(lambda: models.SwinTransformer([4, 4], 16, [2, 2], [2, 4], [4, 4], num_classes=10), (normal(2, 3, 64, 64),), (normal(3, 3, 64, 64),), IMAGE),
    "vit": Model(lambda: models.VisionTransformer(32, 8, 2, 4, 32, 48, num_classes=10), (normal(2, 3, 32, 32),), (normal(3, 3, 32, 32),), IMAGE),
    "segments": Model(Segments, (normal(2, 3, 64, 64),), (normal(3, 3, 96, 80),), ({0: "batch", 2: "height", 3: "width"},)),
    "detector": Model(Detector, (normal(1, 3, 320, 320),), (normal(1, 3, 320, 320),), ({},), exporters=("torchscript",)),
    "bert": Model(Bert, (words(2, 9), 1 - padding(2, 9).long()), (words(3, 5), 1 - padding(3, 5).long()), TEXT * 2),
    "gpt2": Model(gpt2, (words(2, 3),) + caches(2, 5), (words(3, 4),) + caches(3, 7), CACHED),
    "llama": Model(llama, (words(2, 3),) + caches(2, 5, 2), (words(3, 4),) + caches(3, 7, 2), CACHED),
    "qwen": Model(qwen, (words(2, 3),) + caches(2, 5, 2), (words(3, 4),) + caches(3, 7, 2), CACHED),
    "t5": Model(T5, (words(2, 9), words(2, 4)), (words(3, 5), words(3, 6)), ({0: "batch", 1: "length"}, {0: "batch", 1: "target"}),
                exporters=("torchscript",)),
    "whisper encoder": Model(WhisperEncoder, (normal(2, 8, 40),), (normal(3, 8, 40),), IMAGE),
    "whisper decoder": Model(WhisperDecoder, (words(2, 4), normal(2, 20, 32)), (words(3, 6), normal(3, 20, 32)), TEXT + IMAGE, exporters=("dynamo",)),
    "wav2vec": Model(Wav2Vec, (normal(2, 400),), (normal(3, 600),), TEXT),
    "clip": Model(Clip, (words(2, 9), normal(2, 3, 32, 32)), (words(3, 5), normal(4, 3, 32, 32)), ({0: "texts", 1: "length"}, {0: "images"})),
}
