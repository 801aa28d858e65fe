# Made by stubs/make.py from the live package; not to be edited.
import builtins
from typing import Any

from anfora.core.dtype import DType
from . import learning_rate_schedule as learning_rate_schedule
from anfora.core.cell import Cell as Cell
from anfora.nn.activation import CELU as CELU
from anfora.nn.activation import ELU as ELU
from anfora.nn.activation import FastGelu as FastGelu
from anfora.nn.activation import GELU as GELU
from anfora.nn.activation import GLU as GLU
from anfora.nn.activation import HShrink as HShrink
from anfora.nn.activation import HSigmoid as HSigmoid
from anfora.nn.activation import HSwish as HSwish
from anfora.nn.activation import Hardtanh as Hardtanh
from anfora.nn.activation import LeakyReLU as LeakyReLU
from anfora.nn.activation import LogSigmoid as LogSigmoid
from anfora.nn.activation import LogSoftmax as LogSoftmax
from anfora.nn.activation import Mish as Mish
from anfora.nn.activation import PReLU as PReLU
from anfora.nn.activation import RReLU as RReLU
from anfora.nn.activation import ReLU as ReLU
from anfora.nn.activation import ReLU6 as ReLU6
from anfora.nn.activation import SeLU as SeLU
from anfora.nn.activation import SiLU as SiLU
from anfora.nn.activation import Sigmoid as Sigmoid
from anfora.nn.activation import SoftShrink as SoftShrink
from anfora.nn.activation import Softmax as Softmax
from anfora.nn.activation import Softmax2d as Softmax2d
from anfora.nn.activation import Softmin as Softmin
from anfora.nn.activation import Softplus as Softplus
from anfora.nn.activation import Softsign as Softsign
from anfora.nn.activation import Tanh as Tanh
from anfora.nn.activation import Tanhshrink as Tanhshrink
from anfora.nn.activation import Threshold as Threshold
from anfora.nn.activation import get_activation as get_activation
from anfora.nn.basic import BiDense as BiDense
from anfora.nn.basic import ClipByNorm as ClipByNorm
from anfora.nn.basic import Dense as Dense
from anfora.nn.basic import Flatten as Flatten
from anfora.nn.basic import Identity as Identity
from anfora.nn.basic import L1Regularizer as L1Regularizer
from anfora.nn.basic import Linear as Linear
from anfora.nn.basic import MatMul as MatMul
from anfora.nn.basic import Moments as Moments
from anfora.nn.basic import Norm as Norm
from anfora.nn.basic import Range as Range
from anfora.nn.basic import ReduceLogSumExp as ReduceLogSumExp
from anfora.nn.basic import Roll as Roll
from anfora.nn.basic import Tril as Tril
from anfora.nn.basic import Triu as Triu
from anfora.nn.basic import Unflatten as Unflatten
from anfora.nn.combined import Conv2dBnAct as Conv2dBnAct
from anfora.nn.combined import DenseBnAct as DenseBnAct
from anfora.nn.combined import TimeDistributed as TimeDistributed
from anfora.nn.containers import CellDict as CellDict
from anfora.nn.containers import CellList as CellList
from anfora.nn.containers import SequentialCell as SequentialCell
from anfora.nn.conv import Conv1d as Conv1d
from anfora.nn.conv import Conv1dTranspose as Conv1dTranspose
from anfora.nn.conv import Conv2d as Conv2d
from anfora.nn.conv import Conv2dTranspose as Conv2dTranspose
from anfora.nn.conv import Conv3d as Conv3d
from anfora.nn.conv import Conv3dTranspose as Conv3dTranspose
from anfora.nn.dropout import Dropout as Dropout
from anfora.nn.dropout import Dropout1d as Dropout1d
from anfora.nn.dropout import Dropout2d as Dropout2d
from anfora.nn.dropout import Dropout3d as Dropout3d
from anfora.nn.embedding import Embedding as Embedding
from anfora.nn.embedding import EmbeddingLookup as EmbeddingLookup
from anfora.nn.embedding import OneHot as OneHot
from anfora.nn.graph_cell import GraphCell as GraphCell
from anfora.nn.image import CentralCrop as CentralCrop
from anfora.nn.image import ChannelShuffle as ChannelShuffle
from anfora.nn.image import Fold as Fold
from anfora.nn.image import PixelShuffle as PixelShuffle
from anfora.nn.image import PixelUnshuffle as PixelUnshuffle
from anfora.nn.image import ResizeBilinear as ResizeBilinear
from anfora.nn.image import Unfold as Unfold
from anfora.nn.image import Upsample as Upsample
from anfora.nn.image_quality import MSSSIM as MSSSIM
from anfora.nn.image_quality import PSNR as PSNR
from anfora.nn.image_quality import SSIM as SSIM
from anfora.nn.loss import BCELoss as BCELoss
from anfora.nn.loss import BCEWithLogitsLoss as BCEWithLogitsLoss
from anfora.nn.loss import CTCLoss as CTCLoss
from anfora.nn.loss import CosineEmbeddingLoss as CosineEmbeddingLoss
from anfora.nn.loss import CrossEntropyLoss as CrossEntropyLoss
from anfora.nn.loss import DiceLoss as DiceLoss
from anfora.nn.loss import FocalLoss as FocalLoss
from anfora.nn.loss import GaussianNLLLoss as GaussianNLLLoss
from anfora.nn.loss import HingeEmbeddingLoss as HingeEmbeddingLoss
from anfora.nn.loss import HuberLoss as HuberLoss
from anfora.nn.loss import KLDivLoss as KLDivLoss
from anfora.nn.loss import L1Loss as L1Loss
from anfora.nn.loss import LossBase as LossBase
from anfora.nn.loss import MAELoss as MAELoss
from anfora.nn.loss import MSELoss as MSELoss
from anfora.nn.loss import MarginRankingLoss as MarginRankingLoss
from anfora.nn.loss import MultiClassDiceLoss as MultiClassDiceLoss
from anfora.nn.loss import MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss
from anfora.nn.loss import MultiMarginLoss as MultiMarginLoss
from anfora.nn.loss import MultilabelMarginLoss as MultilabelMarginLoss
from anfora.nn.loss import NLLLoss as NLLLoss
from anfora.nn.loss import PoissonNLLLoss as PoissonNLLLoss
from anfora.nn.loss import RMSELoss as RMSELoss
from anfora.nn.loss import SmoothL1Loss as SmoothL1Loss
from anfora.nn.loss import SoftMarginLoss as SoftMarginLoss
from anfora.nn.loss import SoftmaxCrossEntropyWithLogits as SoftmaxCrossEntropyWithLogits
from anfora.nn.loss import TripletMarginLoss as TripletMarginLoss
from anfora.nn.loss import TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss
from anfora.nn.loss_scale import DynamicLossScaleUpdateCell as DynamicLossScaleUpdateCell
from anfora.nn.loss_scale import FixedLossScaleUpdateCell as FixedLossScaleUpdateCell
from anfora.nn.loss_scale import TrainOneStepWithLossScaleCell as TrainOneStepWithLossScaleCell
from anfora.nn.metrics import Accuracy as Accuracy
from anfora.nn.metrics import BleuScore as BleuScore
from anfora.nn.metrics import CosineSimilarity as CosineSimilarity
from anfora.nn.metrics import Dice as Dice
from anfora.nn.metrics import F1 as F1
from anfora.nn.metrics import Fbeta as Fbeta
from anfora.nn.metrics import Loss as Loss
from anfora.nn.metrics import MAE as MAE
from anfora.nn.metrics import MSE as MSE
from anfora.nn.metrics import Metric as Metric
from anfora.nn.metrics import Perplexity as Perplexity
from anfora.nn.metrics import Precision as Precision
from anfora.nn.metrics import ROC as ROC
from anfora.nn.metrics import Recall as Recall
from anfora.nn.metrics import Top1CategoricalAccuracy as Top1CategoricalAccuracy
from anfora.nn.metrics import Top5CategoricalAccuracy as Top5CategoricalAccuracy
from anfora.nn.metrics import TopKCategoricalAccuracy as TopKCategoricalAccuracy
from anfora.nn.metrics import auc as auc
from anfora.nn.metrics import get_metric_fn as get_metric_fn
from anfora.nn.metrics import get_metrics as get_metrics
from anfora.nn.metrics import names as names
from anfora.nn.metrics import rearrange_inputs as rearrange_inputs
from anfora.nn.metrics_classes import ConfusionMatrix as ConfusionMatrix
from anfora.nn.metrics_classes import ConfusionMatrixMetric as ConfusionMatrixMetric
from anfora.nn.metrics_images import HausdorffDistance as HausdorffDistance
from anfora.nn.metrics_images import MeanSurfaceDistance as MeanSurfaceDistance
from anfora.nn.metrics_images import OcclusionSensitivity as OcclusionSensitivity
from anfora.nn.metrics_images import RootMeanSquareDistance as RootMeanSquareDistance
from anfora.nn.normalization import BatchNorm1d as BatchNorm1d
from anfora.nn.normalization import BatchNorm2d as BatchNorm2d
from anfora.nn.normalization import BatchNorm3d as BatchNorm3d
from anfora.nn.normalization import GroupNorm as GroupNorm
from anfora.nn.normalization import InstanceNorm1d as InstanceNorm1d
from anfora.nn.normalization import InstanceNorm2d as InstanceNorm2d
from anfora.nn.normalization import InstanceNorm3d as InstanceNorm3d
from anfora.nn.normalization import LRN as LRN
from anfora.nn.normalization import LayerNorm as LayerNorm
from anfora.nn.normalization import SyncBatchNorm as SyncBatchNorm
from anfora.nn.padding import ConstantPad1d as ConstantPad1d
from anfora.nn.padding import ConstantPad2d as ConstantPad2d
from anfora.nn.padding import ConstantPad3d as ConstantPad3d
from anfora.nn.padding import Pad as Pad
from anfora.nn.padding import ReflectionPad1d as ReflectionPad1d
from anfora.nn.padding import ReflectionPad2d as ReflectionPad2d
from anfora.nn.padding import ReflectionPad3d as ReflectionPad3d
from anfora.nn.padding import ReplicationPad1d as ReplicationPad1d
from anfora.nn.padding import ReplicationPad2d as ReplicationPad2d
from anfora.nn.padding import ReplicationPad3d as ReplicationPad3d
from anfora.nn.padding import ZeroPad2d as ZeroPad2d
from anfora.nn.pooling import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from anfora.nn.pooling import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from anfora.nn.pooling import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from anfora.nn.pooling import AdaptiveMaxPool1d as AdaptiveMaxPool1d
from anfora.nn.pooling import AdaptiveMaxPool2d as AdaptiveMaxPool2d
from anfora.nn.pooling import AdaptiveMaxPool3d as AdaptiveMaxPool3d
from anfora.nn.pooling import AvgPool1d as AvgPool1d
from anfora.nn.pooling import AvgPool2d as AvgPool2d
from anfora.nn.pooling import AvgPool3d as AvgPool3d
from anfora.nn.pooling import FractionalMaxPool2d as FractionalMaxPool2d
from anfora.nn.pooling import FractionalMaxPool3d as FractionalMaxPool3d
from anfora.nn.pooling import LPPool1d as LPPool1d
from anfora.nn.pooling import LPPool2d as LPPool2d
from anfora.nn.pooling import MaxPool1d as MaxPool1d
from anfora.nn.pooling import MaxPool2d as MaxPool2d
from anfora.nn.pooling import MaxPool3d as MaxPool3d
from anfora.nn.pooling import MaxUnpool1d as MaxUnpool1d
from anfora.nn.pooling import MaxUnpool2d as MaxUnpool2d
from anfora.nn.pooling import MaxUnpool3d as MaxUnpool3d
from anfora.nn.recurrent import GRU as GRU
from anfora.nn.recurrent import GRUCell as GRUCell
from anfora.nn.recurrent import LSTM as LSTM
from anfora.nn.recurrent import LSTMCell as LSTMCell
from anfora.nn.recurrent import RNN as RNN
from anfora.nn.recurrent import RNNCell as RNNCell
from anfora.nn.reducer import DistributedGradReducer as DistributedGradReducer
from anfora.nn.transformer import MultiheadAttention as MultiheadAttention
from anfora.nn.transformer import Transformer as Transformer
from anfora.nn.transformer import TransformerDecoder as TransformerDecoder
from anfora.nn.transformer import TransformerDecoderLayer as TransformerDecoderLayer
from anfora.nn.transformer import TransformerEncoder as TransformerEncoder
from anfora.nn.transformer import TransformerEncoderLayer as TransformerEncoderLayer
from anfora.nn.wrap import ForwardValueAndGrad as ForwardValueAndGrad
from anfora.nn.wrap import Jvp as Jvp
from anfora.nn.wrap import ParameterUpdate as ParameterUpdate
from anfora.nn.wrap import TrainOneStepCell as TrainOneStepCell
from anfora.nn.wrap import Vjp as Vjp
from anfora.nn.wrap import WithEvalCell as WithEvalCell
from anfora.nn.wrap import WithGradCell as WithGradCell
from anfora.nn.wrap import WithLossCell as WithLossCell
from anfora.optim.adafactor import AdaFactor as AdaFactor
from anfora.optim.adagrad import Adadelta as Adadelta
from anfora.optim.adagrad import Adagrad as Adagrad
from anfora.optim.adagrad import RMSProp as RMSProp
from anfora.optim.adam import AdaMax as AdaMax
from anfora.optim.adam import Adam as Adam
from anfora.optim.adam import AdamOffload as AdamOffload
from anfora.optim.adam import AdamWeightDecay as AdamWeightDecay
from anfora.optim.adam import LazyAdam as LazyAdam
from anfora.optim.asgd import ASGD as ASGD
from anfora.optim.dynamic_lr import cosine_decay_lr as cosine_decay_lr
from anfora.optim.dynamic_lr import exponential_decay_lr as exponential_decay_lr
from anfora.optim.dynamic_lr import inverse_decay_lr as inverse_decay_lr
from anfora.optim.dynamic_lr import natural_exp_decay_lr as natural_exp_decay_lr
from anfora.optim.dynamic_lr import piecewise_constant_lr as piecewise_constant_lr
from anfora.optim.dynamic_lr import polynomial_decay_lr as polynomial_decay_lr
from anfora.optim.dynamic_lr import warmup_lr as warmup_lr
from anfora.optim.lamb import LARS as LARS
from anfora.optim.lamb import Lamb as Lamb
from anfora.optim.optimizer import Optimizer as Optimizer
from anfora.optim.options_adam import AdamW as AdamW
from anfora.optim.proximal import FTRL as FTRL
from anfora.optim.proximal import ProximalAdagrad as ProximalAdagrad
from anfora.optim.rprop import Rprop as Rprop
from anfora.optim.schedule import CosineDecayLR as CosineDecayLR
from anfora.optim.schedule import ExponentialDecayLR as ExponentialDecayLR
from anfora.optim.schedule import InverseDecayLR as InverseDecayLR
from anfora.optim.schedule import LearningRateSchedule as LearningRateSchedule
from anfora.optim.schedule import NaturalExpDecayLR as NaturalExpDecayLR
from anfora.optim.schedule import PolynomialDecayLR as PolynomialDecayLR
from anfora.optim.schedule import WarmUpLR as WarmUpLR
from anfora.optim.sgd import Momentum as Momentum
from anfora.optim.sgd import SGD as SGD

__all__ = [
    "ASGD", "Accuracy", "AdaFactor", "AdaMax", "Adadelta", "Adagrad", "Adam", "AdamOffload", "AdamW", "AdamWeightDecay",
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d",
    "BatchNorm2d", "BatchNorm3d", "BiDense", "BleuScore", "CELU", "CTCLoss", "Cell", "CellDict", "CellList", "CentralCrop",
    "ChannelShuffle", "ClipByNorm", "ConfusionMatrix", "ConfusionMatrixMetric", "ConstantPad1d", "ConstantPad2d",
    "ConstantPad3d", "Conv1d", "Conv1dTranspose", "Conv2d", "Conv2dBnAct", "Conv2dTranspose", "Conv3d", "Conv3dTranspose",
    "CosineDecayLR", "CosineEmbeddingLoss", "CosineSimilarity", "CrossEntropyLoss", "Dense", "DenseBnAct", "Dice",
    "DiceLoss", "DistributedGradReducer", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "DynamicLossScaleUpdateCell",
    "ELU", "Embedding", "EmbeddingLookup", "ExponentialDecayLR", "F1", "FTRL", "FastGelu", "Fbeta",
    "FixedLossScaleUpdateCell", "Flatten", "FocalLoss", "Fold", "ForwardValueAndGrad", "FractionalMaxPool2d",
    "FractionalMaxPool3d", "GELU", "GLU", "GRU", "GRUCell", "GaussianNLLLoss", "GraphCell", "GroupNorm", "HShrink",
    "HSigmoid", "HSwish", "Hardtanh", "HausdorffDistance", "HingeEmbeddingLoss", "HuberLoss", "Identity", "InstanceNorm1d",
    "InstanceNorm2d", "InstanceNorm3d", "InverseDecayLR", "Jvp", "KLDivLoss", "L1Loss", "L1Regularizer", "LARS", "LPPool1d",
    "LPPool2d", "LRN", "LSTM", "LSTMCell", "Lamb", "LayerNorm", "LazyAdam", "LeakyReLU", "LearningRateSchedule", "Linear",
    "LogSigmoid", "LogSoftmax", "Loss", "LossBase", "MAE", "MAELoss", "MSE", "MSELoss", "MSSSIM", "MarginRankingLoss",
    "MatMul", "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d", "MeanSurfaceDistance",
    "Metric", "Mish", "Moments", "Momentum", "MultiClassDiceLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss",
    "MultiheadAttention", "MultilabelMarginLoss", "NLLLoss", "NaturalExpDecayLR", "Norm", "OcclusionSensitivity", "OneHot",
    "Optimizer", "PReLU", "PSNR", "Pad", "ParameterUpdate", "Perplexity", "PixelShuffle", "PixelUnshuffle",
    "PoissonNLLLoss", "PolynomialDecayLR", "Precision", "ProximalAdagrad", "RMSELoss", "RMSProp", "RNN", "RNNCell", "ROC",
    "RReLU", "Range", "ReLU", "ReLU6", "Recall", "ReduceLogSumExp", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d",
    "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "ResizeBilinear", "Roll", "RootMeanSquareDistance", "Rprop",
    "SGD", "SSIM", "SeLU", "SequentialCell", "SiLU", "Sigmoid", "SmoothL1Loss", "SoftMarginLoss", "SoftShrink", "Softmax",
    "Softmax2d", "SoftmaxCrossEntropyWithLogits", "Softmin", "Softplus", "Softsign", "SyncBatchNorm", "Tanh", "Tanhshrink",
    "Threshold", "TimeDistributed", "Top1CategoricalAccuracy", "Top5CategoricalAccuracy", "TopKCategoricalAccuracy",
    "TrainOneStepCell", "TrainOneStepWithLossScaleCell", "Transformer", "TransformerDecoder", "TransformerDecoderLayer",
    "TransformerEncoder", "TransformerEncoderLayer", "Tril", "TripletMarginLoss", "TripletMarginWithDistanceLoss", "Triu",
    "Unflatten", "Unfold", "Upsample", "Vjp", "WarmUpLR", "WithEvalCell", "WithGradCell", "WithLossCell", "ZeroPad2d",
    "auc", "cosine_decay_lr", "exponential_decay_lr", "get_activation", "get_metric_fn", "get_metrics", "inverse_decay_lr",
    "learning_rate_schedule", "names", "natural_exp_decay_lr", "piecewise_constant_lr", "polynomial_decay_lr",
    "rearrange_inputs", "warmup_lr",
]
